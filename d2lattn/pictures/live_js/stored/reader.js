// 7fa5ba0d48910f34439e532cc9309c539fbf3376ecc527833793240edf8fc14a
var tt="http://www.w3.org/2000/svg";var K=t=>t.namespaceURI===tt;function m(t,e,n){for(let[o,s]of Object.entries(e))s===null||s===!1?t.removeAttribute(o):t.setAttribute(o,s);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function f(t,e,n={},o){let i=e==="svg"||K(t)?document.createElementNS(tt,e):document.createElement(e);return m(i,n,o),t.append(i),i}var et=t=>f(t,"div",{class:"bar"});function A(t,e,n,o){let s=f(f(t,"label",{},e),"input",n);return s.addEventListener("input",()=>o(s)),s}var nt=(t,e={})=>f(t,"span",{"aria-hidden":"true",...e});function G(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function S(t,e,n){let o=f(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function ot(t){let e=f(t,"p",{"aria-live":"polite"}),n="";return o=>{let s=o.map(i=>i[0]).join("");s!==n&&(n=s,e.replaceChildren(...o.map(i=>St(...i))))}}function St(t,e){let n=document.createElement("span");return n.textContent=t,e&&m(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var Nt=220,st=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${Nt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function at(t,e,{name:n="Play",every:o=400,next:s,rewind:i,ended:r}){let a=0,l=S(t,`▶ ${n}`,()=>a?c():u());function c(){clearInterval(a),a=0,rt(t,!1),m(l,{},`▶ ${n}`)}function p(){if(!l.isConnected)return c();r(s(e.state))&&c(),e.act(s)}function u(){r(e.state)&&e.act(i),a=setInterval(p,o),rt(t,o<1e3),m(l,{},"❚❚ Pause"),p()}for(let x of["input","click"])t.addEventListener(x,h=>a&&h.target!==l&&c());return{node:l,stop:c}}var rt=(t,e)=>m(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});var it=`
:host { display: block; color: inherit; max-width: 1180px; margin: 4px 0; }
* { box-sizing: border-box; }
.live {
  font: 15px/1.45 system-ui, "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
svg { display: block; width: 100%; height: auto; overflow: visible; }
text { fill: currentColor; font-size: 14px; }
.n { text-anchor: end; } .m { text-anchor: middle; } .e { text-anchor: end; }
.b { font-weight: 600; } .s { font-size: 13px; } .t { font-size: 12px; }
.big { font-size: 15px; font-weight: 600; }
[role=gridcell], [role=grid] { outline: none; }
[role=gridcell] { cursor: pointer; }
.edit { cursor: ns-resize; touch-action: none; }
.box { fill: currentColor; fill-opacity: .05; }
.tint { pointer-events: none; }
.mark { fill: none; stroke-width: 2; pointer-events: none; }
.ring { fill: none; stroke: none; pointer-events: none; }
[role=gridcell]:focus-visible .ring, [role=gridcell]:focus .ring {
  stroke: currentColor; stroke-width: 2;
}
.bar { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; margin: 6px 0; }
label { display: inline-flex; gap: 6px; align-items: center; }
input, select, button {
  font: inherit; color: inherit; background: transparent; border-radius: 4px;
  border: 1px solid color-mix(in srgb, currentColor 55%, transparent);
  padding: 2px 8px; min-height: 26px;
}
option { color: #111; background: #fff; }
input[type=range] { padding: 0; width: 130px; accent-color: var(--query); }
input[type=checkbox] { width: 18px; min-height: 18px; accent-color: var(--query); }
input[type=number] { width: 88px; }
:is(input, select, button):focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
p { margin: 4px 0; min-height: 3em; }
.role { text-decoration: underline 3px; text-underline-offset: 3px; }
[hidden] { display: none; }
.stepper { display: inline-flex; gap: 6px; }
button:disabled { opacity: .45; }
canvas { display: block; image-rendering: pixelated; }
.scroll { overflow-x: auto; padding: 3px; margin: -3px; }
.stage, .stage svg { position: relative; }
.stage canvas { position: absolute; }
${st}
@media print {
  :host { break-inside: avoid; }
  .bar { display: none; }
  .scroll { overflow: visible; }
  .stage { min-width: 0 !important; }
}
`;function ct(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||Tt(this,e)}};customElements.define(t,n)}function Tt(t,e){let n=JSON.parse(t.dataset.live),o=t.attachShadow({mode:"open"});f(o,"style",{},it);let s=f(o,"div",{class:"live",role:"group","aria-label":n.title});for(let r in n.roles)s.style.setProperty(`--${r}`,n.roles[r]);e(s,n),m(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),o.addEventListener("keydown",r=>Dt(r,t));let i=t.previousElementSibling;i?.classList.contains("live-fallback")&&t.append(i)}function Dt(t,e){t.ctrlKey||t.metaKey||t.altKey||t.key==="Tab"||(t.stopPropagation(),t.key==="Escape"&&(e.shadowRoot.activeElement?.blur(),e.parentElement?.closest("[tabindex]")?.focus()))}function lt({prepare:t=a=>a,begin:e,compute:n,controls:o,draw:s,explain:i,style:r}){return(a,l)=>{let c=t(l);r&&f(a,"style",{},r);let p={data:c,state:e(c),act:d,reset:()=>d(()=>e(c))},u=o(a,p),x=ot(a),h=s(a,p,u.number);function g(){let{state:w}=p,y=n(w,c);u.update(w),h(w,y),x(i(w,y,c))}let b=Rt(g);function d(w,...y){p.state=w(p.state,...y),b()}g()}}function Rt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var L=(t,e)=>({...t,...e});function M(t,e=2){if(Number.isNaN(t))return"–";if(!Number.isFinite(t))return t>0?"∞":"−∞";let n=Ot(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function Ot(t,e){return t>=1e4||t>0&&t<1e-9?t.toExponential(1):t.toFixed(t>=100?Math.min(1,e):e)}var R=(t,e,n)=>Math.max(e,Math.min(n,t)),H=t=>t.reduce((e,n)=>e+n,0),U=(t,e)=>t.reduce((n,o,s)=>n+o*e[s],0);function W(t,e=t.map(()=>!0)){let n=Math.max(...t.filter((i,r)=>e[r]));if(n===-1/0)return{shares:t.map(()=>0),sum:0,largest:n};let o=t.map((i,r)=>e[r]?Math.exp(i-n):0),s=H(o);return{shares:o.map(i=>i/s),sum:s,largest:n}}var qt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function O(t,e,n,o,s){let i=K(t)?"g":"div",r=f(t,i,{role:"grid","aria-label":e}),a=n.map((c,p)=>{let u=f(r,i,{role:"row"});return Array.from({length:c},(x,h)=>{let g=f(u,i,{role:"gridcell",tabindex:p+h?-1:0});return g.at=[p,h],o(g,p,h),g})});return zt(r,a,c=>{for(let p of a.flat())m(p,{tabindex:p.at===c?0:-1});s(...c)}),a}function zt(t,e,n){let o=r=>r.target.closest("[role=gridcell]")?.at,s=(r,a)=>a[R(r,0,a.length-1)],i=(r,a)=>{let l=s(a,s(r,e));l.focus(),n(l.at)};t.getRootNode().addEventListener("focusin",r=>{t.contains(r.target)&&n(o(r))}),t.addEventListener("click",r=>o(r)&&i(...o(r))),t.addEventListener("keydown",r=>{let a=qt[r.key];if(!a||r.shiftKey)return;r.preventDefault();let[l,c]=o(r);i(l+a[0],c+a[1])})}function Yt(t){let[e,n,o]=[t>>15?-1:1,t>>10&31,t&1023];return n===0?e*o*2**-24:e*(1+o/1024)*2**(n-15)}function pt({shapes:t,text:e}){let n=Uint8Array.from(atob(e),r=>r.charCodeAt(0)),o=Float64Array.from(new Uint16Array(n.buffer),Yt),s={},i=0;for(let[r,[a,l=1]]of Object.entries(t)){let c=p=>o.subarray(i+p*l,i+(p+1)*l);s[r]=Array.from({length:a},(p,u)=>c(u)),i+=a*l}return s}var V=(t,e)=>t.map((n,o)=>n+e[o]);function N({weights:t},e,n){let o=t[`${e}.bias`];return Float64Array.from(t[`${e}.weight`],(s,i)=>U(n,s)+(o?.[i][0]??0))}function X({weights:t},e,n){let o=n.reduce((l,c)=>l+c,0)/n.length,s=n.reduce((l,c)=>l+(c-o)**2,0)/n.length,i=1/Math.sqrt(s+1e-5),r=t[`${e}.weight`],a=t[`${e}.bias`];return n.map((l,c)=>(l-o)*i*r[c][0]+(a?.[c][0]??0))}var Ft=t=>.5*t*(1+Math.tanh(Math.sqrt(2/Math.PI)*(t+.044715*t**3))),dt=(t,e,n,o)=>t/o**(2*e/n);function Pt({sizes:{positions:t,embed_dim:e,base:n},weights:o},s,i){let r=o["embedding.weight"][s];return t==="learned"?V(r,o["position.weight"][i]):t!=="sinusoidal"?r:r.map((a,l)=>{let c=dt(i,Math.floor(l/2),e,n);return a+(l%2?Math.cos(c):Math.sin(c))})}function B({sizes:{positions:t,base:e}},n,o,s,i){let r=n.length/o;return Array.from({length:o},(a,l)=>{let c=n.slice(l*r,(l+1)*r);return!i||t!=="rotary"?c:c.map((p,u)=>{let x=dt(s,Math.floor(u/2),r,e),h=c[u^1];return p*Math.cos(x)+(u%2?h:-h)*Math.sin(x)})})}function Kt({sizes:t,slopes:e},{keys:n,values:o},s,i){let{num_heads:r,num_kv_heads:a,window:l}=t;return s.map((c,p)=>{let u=Math.floor(p*a/r),x=n.map((d,w)=>l===null||i-w<l),h=n.map((d,w)=>{let y=e?e[p]*(i-w):0;return U(c,d[u])/Math.sqrt(c.length)-y}),{shares:g}=W(h,x),b=c.map((d,w)=>g.reduce((y,$,k)=>y+$*o[k][u][w],0));return{shares:g,found:b}})}function Gt(t,e,n,o,s,i){let{num_heads:r,num_kv_heads:a,mlp_dim:l}=t.sizes,c=`blocks.${e}.`,p=X(t,`${c}attention_norm`,o),u=d=>N(t,`${c}attention.${d}_proj`,p);n.keys.push(B(t,u("k"),a,s,!0)),n.values.push(B(t,u("v"),a,s,!1));let x=Kt(t,n,B(t,u("q"),r,s,!0),s);n.maps.push(x.map(({shares:d})=>d));let h=x.flatMap(({found:d},w)=>[...i[e]?.[w]?d.fill(0):d]),g=V(o,N(t,`${c}attention.out_proj`,h));if(!l)return g;let b=N(t,`${c}mlp.0`,X(t,`${c}mlp_norm`,g)).map(Ft);return V(g,N(t,`${c}mlp.2`,b))}function T(t,e,n=[],o=null){let s=Array.from({length:t.sizes.num_layers},(r,a)=>{let{keys:l=[],values:c=[],maps:p=[]}=o?.layers[a]??{};return{keys:[...l],values:[...c],maps:[...p]}}),i=[...o?.logits??[]];for(let r of e){let a=i.length,l=Pt(t,r,a);s.forEach((p,u)=>l=Gt(t,u,p,l,a,n));let c=t.sizes.tied?"embedding":"to_logits";i.push(N(t,c,X(t,"norm",l)))}return{layers:s,logits:i}}function q(t,e,n){let o=Array.from(t,(r,a)=>a).sort((r,a)=>t[a]-t[r]||r-a),s=new Set(o.slice(0,e?n:1)),i=Array.from(t,r=>r/(e||1));return W(i,i.map((r,a)=>s.has(a))).shares}var ut=t=>({...t,model:{...t.model,weights:pt(t.model)}});function ft(t){let{num_layers:e,num_heads:n}=t.model.sizes,{text:o,layer:s,head:i,temperature:r,most:a}=t,l=t.asks<D(o,t).tokens.length-1?t.asks:null,c=Array.from({length:e},()=>Array(n).fill(!1));return z({...{asks:l,layer:s,head:i,temperature:r,most:a,off:c,cache:!0,seed:1},text:o},o,t)}function D(t,{vocabulary:e,stop:n,room:o}){let s=t.replace(/[.,!?;:]/g," $& ").match(/\S+/g)??[],i=e.map(p=>p.toLowerCase()),r=s.map(p=>i.indexOf(p.toLowerCase())),l=[...n===null?[]:[n],...r.filter(p=>p>=0)],c=s.filter((p,u)=>r[u]<0);return{tokens:l.slice(0,o),unknown:c,left:l.length>o}}function z(t,e,n){let{length:o}=D(e,n).tokens,s=t.asks!==null&&t.asks<o?t.asks:null;return{...t,text:e,typed:e,asks:s,passed:[o],kept:0}}function mt(t,e,n){let o=t.off.map((s,i)=>s.map((r,a)=>i===e&&a===n?!r:r));return{...t,off:o,kept:0}}var ht=(t,e,n)=>({...t,layer:e,head:n});function Y({text:t},e){let{tokens:n}=D(t,e);return n.length>1&&n.at(-1)===e.stop||!n.length||n.length>=e.room}function J(t,e){if(Y(t,e))return t;let{tokens:n}=D(t.text,e),{logits:o}=T(e.model,n,t.off),s=q(o.at(-1),t.temperature,t.most),i=e.vocabulary[Ht(s,Ut(t.seed))],r=n.length,a=[...t.passed,t.cache?1:r+1],l=`${t.text} ${i}`.trim();return{...t,text:l,asks:null,seed:t.seed+1,passed:a,kept:t.cache?r:0}}var xt=(t,e)=>z(t,t.typed,e);function Ht(t,e){let n=0,o=t.findIndex(s=>s&&(n+=s)>e);return o<0?t.indexOf(Math.max(...t)):o}function Ut(t){let e=t*1831565813|0;return e=Math.imul(e^e>>>15,e|1),e^=e+Math.imul(e^e>>>7,e|61),((e^e>>>14)>>>0)/2**32}function gt(t,e){let{tokens:n,unknown:o,left:s}=D(t.text,e),{off:i,temperature:r,most:a,kept:l}=t,c={steps:t.passed,total:H(t.passed)};if(!n.length)return{tokens:n,unknown:o,left:s,used:c,maps:[],asks:null,shares:[]};let p=l?T(e.model,n.slice(0,l),i):null,{layers:u,logits:x}=T(e.model,n.slice(l),i,p),h=R(t.asks??1/0,0,n.length-1),g=i.flat().some(Boolean),b=g?T(e.model,n,[]).logits:x,d=u.map(E=>E.maps),w=d[t.layer][h][t.head],y=q(x[h],r,a),$=g?q(b[h],r,a):y,k=y.map((E,v)=>v).sort((E,v)=>y[v]-y[E]||E-v);return{tokens:n,unknown:o,left:s,used:c,maps:d,asks:h,shares:w,chances:y,all:$,order:k,silent:g,logits:x}}var Wt=[128,128,128];function wt(t,{data:e,act:n,state:o}){let{num_layers:s,num_heads:i}=e.model.sizes,r=f(t,"div",{class:"maps"});f(r,"div",{class:"caption"},"every head of every layer: a row asks, its columns answer");let a=(w,y,$)=>{let k=f(w,"div",{class:"frame"});f(k,"canvas",{"aria-hidden":"true"}),f(k,"div",{class:"row"}),f(w,"span",{},`${y+1}.${$+1}`)},l=Array(s).fill(i),c=O(r,"layers and heads",l,a,(w,y)=>n(ht,w,y)),{layer:p,head:u}=o;m(c[0][0],{tabindex:-1}),m(c[p][u],{tabindex:0});let x=o,h=f(r,"div",{class:"bar"}),b=A(h,"head",{type:"checkbox"},()=>n(mt,x.layer,x.head)),d=f(h,"span",{class:"s"});return(w,y)=>{x=w;let{layer:$,head:k,off:E,kept:v}=w,{tokens:_,maps:Mt,asks:Q}=y;b.parentNode.firstChild.data=`head ${k+1} of layer ${$+1} is on`,b.checked=!E[$][k],m(d,{},Vt(v,_.length)),c.forEach((At,C)=>At.forEach((F,I)=>{let Z=C===$&&I===k,P=E[C][I],Lt=`layer ${C+1}, head ${I+1}`;if(m(F,{"aria-label":Lt+`${Z?", shown":""}${P?", off":""}`,class:Bt(Z,P)}),m(F.lastChild,{},`${C+1}.${I+1}${P?" off":""}`),Q===null)return;let[_t,Ct]=F.firstChild.children;Xt(_t,Mt[C].map(It=>It[I]),v,e.roles.weight);let j=100/_.length;m(Ct,{style:`top:calc(${Q*j}% - 1px);height:calc(${j}% + 2px)`})}))}}var Bt=(t,e)=>[t&&"shown",e&&"off"].filter(Boolean).join(" ")||null;function Vt(t,e){return t?`computed: ${e-t} ${e-t===1?"row":"rows"}; grey, kept: ${t}`:`computed: all ${e} rows`}function Xt(t,e,n,o){let s=e.length,i=o.match(/\w\w/g).map(a=>parseInt(a,16));t.width!==s&&m(t,{width:s,height:s});let r=new ImageData(s,s);e.forEach((a,l)=>a.forEach((c,p)=>{let u=255*Math.sqrt(c)*(l<n?.6:1);r.data.set([...l<n?Wt:i,u],4*(l*s+p))})),t.getContext("2d").putImageData(r,0,0)}var Jt=8;function yt(t,{data:{vocabulary:e}}){let n=f(t,"div",{class:"next glides"}),o=f(n,"div",{class:"caption"}),s=Math.min(Jt,e.length),i=Array.from({length:s},()=>{let a=f(n,"div"),l=f(a,"span"),c=f(a,"span",{class:"track"});return{row:a,word:l,bar:f(c,"i"),was:f(c,"i",{class:"was"}),number:f(a,"b")}}),r=f(n,"p",{class:"s"},"the mark: with all heads on");return(a,{tokens:l,asks:c,chances:p,all:u,order:x,silent:h})=>{let g=c===null;m(o,{},g?"":`what comes out after ${e[l[c]]}: the next word`),r.hidden=!h,i.forEach(({row:b,word:d,bar:w,was:y,number:$},k)=>{let E=!g&&p[x[k]]>0;if(b.style.visibility=E?"":"hidden",!E)return;let v=x[k];m(d,{},e[v]),m(w,{style:`width:${100*p[v]}%`}),m(y,{style:`left:calc(${100*u[v]}% - 1px)`,class:h?"was":"gone"}),m($,{},M(p[v]))})}}var Qt=44;function bt(t,{data:e,act:n}){let{vocabulary:o}=e,s=f(t,"div",{class:"caption"}),i=f(t,"div",{class:"text glides"}),r=[];function a(l){let c=p=>{f(f(p,"span",{class:"room"}),"i");for(let u of["b","small"])f(p,u)};i.replaceChildren(),[r]=O(i,"the text: who asks?",[l],c,(p,u)=>n(L,{asks:u}))}return({layer:l,head:c},{tokens:p,asks:u,shares:x})=>{r.length!==p.length&&a(p.length);let h=`in head ${c+1} of layer ${l+1}`,g=u===null?"":o[p[u]];m(s,{},g&&`${g} asks ${h}: the taller a bar, the larger the share it gives`),r.forEach((b,d)=>{let[w,y,$]=b.children,k=d>u,E=d===u?"asks":k?"later":null,v=k?"comes later, unseen":`gets ${M(x[d])}`,_=o[p[d]];m(b,{class:E,tabindex:d===u?0:-1}),m(b,{"aria-label":`${_}${d===u?", asks":""}, ${v}`}),m(w.firstChild,{style:`height:${k?0:Qt*x[d]}px`}),m(y,{},_),m($,{},k?"–":M(x[d]))})}}var kt=`
.typed { width: min(330px, 62vw); }
.caption { margin: 8px 0 4px; }
.text [role=row] { display: flex; flex-wrap: wrap; gap: 4px 5px; align-items: flex-end; }
.text [role=gridcell] {
  min-width: 46px; padding: 2px 6px; text-align: center; border-radius: 6px;
  border: 2.5px solid transparent;
}
.text .room { display: flex; align-items: flex-end; justify-content: center; height: 46px; }
.text i { width: 34px; background: var(--weight); }
.text b { display: block; }
.text small { display: block; font-size: 13px; }
.text .asks { border-color: var(--query); }
.text .later { opacity: .75; }
.below { display: flex; flex-wrap: wrap; gap: 4px 32px; }
.maps { flex: 1 1 340px; max-width: 540px; min-width: 0; }
.maps [role=row] { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: 4px; }
.maps [role=gridcell] {
  padding: 4px; border-radius: 6px; border: 2px solid transparent; text-align: center;
  font-size: 13px; max-width: 128px;
}
.maps .shown { border-color: var(--weight); font-weight: 600; }
.maps .off canvas { opacity: .3; }
.maps .frame { position: relative; border: 1px solid color-mix(in srgb, currentColor 35%, transparent); }
.maps canvas { width: 100%; aspect-ratio: 1; }
.maps .row { position: absolute; left: -2px; right: -2px; border: 2px solid var(--query); }
.next { flex: 1 1 250px; max-width: 330px; }
.next div { display: grid; grid-template-columns: 92px 1fr 44px; gap: 8px; height: 25px; }
.next div span { overflow: hidden; text-overflow: ellipsis; text-align: right; }
.next div b { text-align: right; }
.next .track { position: relative; }
.next i { display: block; height: 18px; margin-top: 2px; background: var(--output); }
.next .gone { display: none; }
.next .was { position: absolute; top: -1px; width: 3px; height: 20px; background: currentColor; }
:is(.text, .maps) [role=gridcell]:focus-visible { outline: 2px solid currentColor; outline-offset: 1px; }
`;function vt(t,e){let n=bt(t,e),o=f(t,"div",{class:"below"}),s=wt(o,e),i=yt(o,e);return(r,a)=>{n(r,a),s(r,a),i(r,a)}}function $t(t,e,{vocabulary:n,room:o}){let{tokens:s,unknown:i,left:r,asks:a,shares:l,chances:c,all:p,order:u,silent:x}=e,h=[];if(i.length&&h.push([`Not in its vocabulary: ${i.join(", ")}. `]),r&&h.push([`It reads ${o} words at most. `]),a===null)return[...h,["Type a word."]];let g=l.indexOf(Math.max(...l)),b=t.off[t.layer][t.head]?", which is off,":"",d=x?[[` (${M(p[u[0]])} with all heads on)`]]:[];return[...h,[n[s[a]],"query"],[` asks. In head ${t.head+1} of layer ${t.layer+1}${b} it gives most, `],[M(l[g]),"weight"],[", to "],[n[s[g]],"key"],[". Likeliest to come next is "],[n[u[0]],"output"],[`, ${M(c[u[0]])}`],...d,["."],...Zt(t,e)]}function Zt({kept:t},{used:{steps:e,total:n},tokens:o}){if(e.length<2)return[];let s=r=>`${r} ${r===1?"row":"rows"}`,i=t?`, ${t} more came from the cache`:"";return[[` The last word took ${s(o.length-t)} of each map${i}; in all, ${n}.`]]}var jt=700;function te(t,e){let{act:n,data:o}=e,s=et(t),r=A(s,"text",{type:"text",spellcheck:"false",autocomplete:"off",class:"typed"},d=>n(z,d.value,o)),a=S(s,"write a word",()=>n(J,o)),l=at(s,e,{name:"write on",every:jt,next:d=>J(d,o),rewind:d=>xt(d,o),ended:d=>Y(d,o)}),c=A(s,"cache",{type:"checkbox"},d=>n(L,{cache:d.checked})),u=A(s,"temperature",{type:"range",min:0,max:2,step:.1},d=>n(L,{temperature:Number(d.value)})),x=nt(s),h={type:"number",min:1,max:o.vocabulary.length,step:1},g=A(s,"top-k",h,d=>{d.validity.valid&&d.value&&n(L,{most:Number(d.value)})});return S(s,"Reset",()=>{l.stop(),e.reset()}),{update:d=>{G(r,d.text),a.disabled=Y(d,o),c.checked=d.cache,u.value=d.temperature,m(u,{"aria-valuetext":M(d.temperature,1)}),m(x,{},M(d.temperature,1)),G(g,d.most)}}}var Et=lt({prepare:ut,begin:ft,compute:gt,controls:te,draw:vt,explain:$t,style:kt});ct("live-00000000",Et);
