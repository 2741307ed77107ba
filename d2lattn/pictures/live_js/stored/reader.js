// be490863b64f5d9d5dc8e948a6cc42e9b40a49fb2a32f3e282a3f0a4e18df8e5
var j="http://www.w3.org/2000/svg";var H=t=>t.namespaceURI===j;function m(t,e,n){for(let[o,s]of Object.entries(e))s===null||s===!1?t.removeAttribute(o):t.setAttribute(o,s);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function u(t,e,n={},o){let i=e==="svg"||H(t)?document.createElementNS(j,e):document.createElement(e);return m(i,n,o),t.append(i),i}var tt=t=>u(t,"div",{class:"bar"});function A(t,e,n,o){let s=u(u(t,"label",{},e),"input",n);return s.addEventListener("input",()=>o(s)),s}var et=(t,e={})=>u(t,"span",{"aria-hidden":"true",...e});function K(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function S(t,e,n){let o=u(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function nt(t){let e=u(t,"p",{"aria-live":"polite"}),n="";return o=>{let s=o.map(i=>i[0]).join("");s!==n&&(n=s,e.replaceChildren(...o.map(i=>St(...i))))}}function St(t,e){let n=document.createElement("span");return n.textContent=t,e&&m(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var Nt=220,rt=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${Nt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function st(t,e,{name:n="Play",every:o=400,next:s,rewind:i,ended:r}){let a=0,l=S(t,`▶ ${n}`,()=>a?c():d());function c(){clearInterval(a),a=0,ot(t,!1),m(l,{},`▶ ${n}`)}function p(){if(!l.isConnected)return c();r(s(e.state))&&c(),e.act(s)}function d(){r(e.state)&&e.act(i),a=setInterval(p,o),ot(t,o<1e3),m(l,{},"❚❚ Pause"),p()}for(let x of["input","click"])t.addEventListener(x,h=>a&&h.target!==l&&c());return{node:l,stop:c}}var ot=(t,e)=>m(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});var at=`
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
${rt}
@media print {
  :host { break-inside: avoid; }
  .bar { display: none; }
  .scroll { overflow: visible; }
  .stage { min-width: 0 !important; }
}
`;function it(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||Tt(this,e)}};customElements.define(t,n)}function Tt(t,e){let n=JSON.parse(t.dataset.live),o=t.attachShadow({mode:"open"});u(o,"style",{},at);let s=u(o,"div",{class:"live",role:"group","aria-label":n.title});for(let r in n.roles)s.style.setProperty(`--${r}`,n.roles[r]);e(s,n),m(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),o.addEventListener("keydown",r=>Dt(r,t));let i=t.previousElementSibling;i?.classList.contains("live-fallback")&&t.append(i)}function Dt(t,e){t.ctrlKey||t.metaKey||t.altKey||t.key==="Tab"||(t.stopPropagation(),t.key==="Escape"&&(e.shadowRoot.activeElement?.blur(),e.parentElement?.closest("[tabindex]")?.focus()))}function ct({prepare:t=a=>a,begin:e,compute:n,controls:o,draw:s,explain:i,style:r}){return(a,l)=>{let c=t(l);r&&u(a,"style",{},r);let p={data:c,state:e(c),act:g,reset:()=>g(()=>e(c))},d=o(a,p),x=nt(a),h=s(a,p,d.number);function w(){let{state:y}=p,b=n(y,c);d.update(y),h(y,b),x(i(y,b,c))}let f=Rt(w);function g(y,...b){p.state=y(p.state,...b),f()}w()}}function Rt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var L=(t,e)=>({...t,...e});function M(t,e=2){if(Number.isNaN(t))return"–";if(!Number.isFinite(t))return t>0?"∞":"−∞";let n=Ot(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function Ot(t,e){return t>=1e4||t>0&&t<1e-9?t.toExponential(1):t.toFixed(t>=100?Math.min(1,e):e)}var R=(t,e,n)=>Math.max(e,Math.min(n,t)),G=t=>t.reduce((e,n)=>e+n,0);function W(t,e=t.map(()=>!0)){let n=Math.max(...t.filter((i,r)=>e[r]));if(n===-1/0)return{shares:t.map(()=>0),sum:0,largest:n};let o=t.map((i,r)=>e[r]?Math.exp(i-n):0),s=G(o);return{shares:o.map(i=>i/s),sum:s,largest:n}}var qt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function O(t,e,n,o,s){let i=H(t)?"g":"div",r=u(t,i,{role:"grid","aria-label":e}),a=n.map((c,p)=>{let d=u(r,i,{role:"row"});return Array.from({length:c},(x,h)=>{let w=u(d,i,{role:"gridcell",tabindex:p+h?-1:0});return w.at=[p,h],o(w,p,h),w})});return zt(r,a,c=>{for(let p of a.flat())m(p,{tabindex:p.at===c?0:-1});s(...c)}),a}function zt(t,e,n){let o=r=>r.target.closest("[role=gridcell]")?.at,s=(r,a)=>a[R(r,0,a.length-1)],i=(r,a)=>{let l=s(a,s(r,e));l.focus(),n(l.at)};t.getRootNode().addEventListener("focusin",r=>{t.contains(r.target)&&n(o(r))}),t.addEventListener("click",r=>o(r)&&i(...o(r))),t.addEventListener("keydown",r=>{let a=qt[r.key];if(!a||r.shiftKey)return;r.preventDefault();let[l,c]=o(r);i(l+a[0],c+a[1])})}function lt(t,e){let n=0;for(let o=0;o<t.length;o++)n+=t[o]*e[o];return n}function Yt(t){let[e,n,o]=[t>>15?-1:1,t>>10&31,t&1023];return n===0?e*o*2**-24:e*(1+o/1024)*2**(n-15)}function pt({shapes:t,text:e}){let n=atob(e),o=new Float64Array(n.length/2);for(let r=0;r<o.length;r++)o[r]=Yt(n.charCodeAt(2*r)+256*n.charCodeAt(2*r+1));let s={},i=0;for(let[r,[a,l=1]]of Object.entries(t)){let c=p=>o.subarray(i+p*l,i+(p+1)*l);s[r]=Array.from({length:a},(p,d)=>c(d)),i+=a*l}return s}var B=(t,e)=>t.map((n,o)=>n+e[o]);function N({weights:t},e,n){let o=t[`${e}.weight`],s=t[`${e}.bias`],i=new Float64Array(o.length);for(let r=0;r<i.length;r++)i[r]=lt(n,o[r])+(s?s[r][0]:0);return i}function V({weights:t},e,n){let o=n.reduce((l,c)=>l+c,0)/n.length,s=n.reduce((l,c)=>l+(c-o)**2,0)/n.length,i=1/Math.sqrt(s+1e-5),r=t[`${e}.weight`],a=t[`${e}.bias`];return n.map((l,c)=>(l-o)*i*r[c][0]+(a?.[c][0]??0))}var Ft=t=>.5*t*(1+Math.tanh(Math.sqrt(2/Math.PI)*(t+.044715*t**3))),dt=(t,e,n,o)=>t/o**(2*e/n);function Pt({sizes:{positions:t,embed_dim:e,base:n},weights:o},s,i){let r=o["embedding.weight"][s];return t==="learned"?B(r,o["position.weight"][i]):t!=="sinusoidal"?r:r.map((a,l)=>{let c=dt(i,Math.floor(l/2),e,n);return a+(l%2?Math.cos(c):Math.sin(c))})}function U({sizes:{positions:t,base:e}},n,o,s,i){let r=n.length/o;return Array.from({length:o},(a,l)=>{let c=n.slice(l*r,(l+1)*r);return!i||t!=="rotary"?c:c.map((p,d)=>{let x=dt(s,Math.floor(d/2),r,e),h=c[d^1];return p*Math.cos(x)+(d%2?h:-h)*Math.sin(x)})})}function Ht({sizes:t,slopes:e},{keys:n,values:o},s,i){let{num_heads:r,num_kv_heads:a,window:l}=t;return s.map((c,p)=>{let d=Math.floor(p*a/r),x=n.map((g,y)=>l===null||i-y<l),h=n.map((g,y)=>{let b=e?e[p]*(i-y):0;return lt(c,g[d])/Math.sqrt(c.length)-b}),{shares:w}=W(h,x),f=c.map((g,y)=>w.reduce((b,$,k)=>b+$*o[k][d][y],0));return{shares:w,found:f}})}function Kt(t,e,n,o,s,i){let{num_heads:r,num_kv_heads:a,mlp_dim:l}=t.sizes,c=`blocks.${e}.`,p=V(t,`${c}attention_norm`,o),d=g=>N(t,`${c}attention.${g}_proj`,p);n.keys.push(U(t,d("k"),a,s,!0)),n.values.push(U(t,d("v"),a,s,!1));let x=Ht(t,n,U(t,d("q"),r,s,!0),s);n.maps.push(x.map(({shares:g})=>g));let h=x.flatMap(({found:g},y)=>[...i[e]?.[y]?g.fill(0):g]),w=B(o,N(t,`${c}attention.out_proj`,h));if(!l)return w;let f=N(t,`${c}mlp.0`,V(t,`${c}mlp_norm`,w)).map(Ft);return B(w,N(t,`${c}mlp.2`,f))}function T(t,e,n=[],o=null){let s=Array.from({length:t.sizes.num_layers},(r,a)=>{let{keys:l=[],values:c=[],maps:p=[]}=o?.layers[a]??{};return{keys:[...l],values:[...c],maps:[...p]}}),i=[...o?.logits??[]];for(let r of e){let a=i.length,l=Pt(t,r,a);s.forEach((p,d)=>l=Kt(t,d,p,l,a,n));let c=t.sizes.tied?"embedding":"to_logits";i.push(N(t,c,V(t,"norm",l)))}return{layers:s,logits:i}}function q(t,e,n){let o=Array.from(t,(r,a)=>a).sort((r,a)=>t[a]-t[r]||r-a),s=new Set(o.slice(0,e?n:1)),i=Array.from(t,r=>r/(e||1));return W(i,i.map((r,a)=>s.has(a))).shares}var ut=t=>({...t,model:{...t.model,weights:pt(t.model)}});function ft(t){let{num_layers:e,num_heads:n}=t.model.sizes,{begins:o,layer:s,head:i,temperature:r,most:a}=t,l=t.asks<D(o,t).tokens.length-1?t.asks:null,c=Array.from({length:e},()=>Array(n).fill(!1));return z({...{asks:l,layer:s,head:i,temperature:r,most:a,off:c,cache:!0,seed:1},text:o},o,t)}function D(t,{vocabulary:e,stop:n,room:o}){let s=t.replace(/[.,!?;:]/g," $& ").match(/\S+/g)??[],i=e.map(p=>p.toLowerCase()),r=s.map(p=>i.indexOf(p.toLowerCase())),l=[...n===null?[]:[n],...r.filter(p=>p>=0)],c=s.filter((p,d)=>r[d]<0);return{tokens:l.slice(0,o),unknown:c,left:l.length>o}}function z(t,e,n){let{length:o}=D(e,n).tokens,s=t.asks!==null&&t.asks<o?t.asks:null;return{...t,text:e,typed:e,asks:s,passed:[o],kept:0}}function mt(t,e,n){let o=t.off.map((s,i)=>s.map((r,a)=>i===e&&a===n?!r:r));return{...t,off:o,kept:0}}var ht=(t,e,n)=>({...t,layer:e,head:n});function Y({text:t},e){let{tokens:n}=D(t,e);return n.length>1&&n.at(-1)===e.stop||!n.length||n.length>=e.room}function X(t,e){if(Y(t,e))return t;let{tokens:n}=D(t.text,e),{logits:o}=T(e.model,n,t.off),s=q(o.at(-1),t.temperature,t.most),i=e.vocabulary[Gt(s,Wt(t.seed))],r=n.length,a=[...t.passed,t.cache?1:r+1],l=`${t.text} ${i}`.trim();return{...t,text:l,asks:null,seed:t.seed+1,passed:a,kept:t.cache?r:0}}var xt=(t,e)=>z(t,t.typed,e);function Gt(t,e){let n=0,o=t.findIndex(s=>s&&(n+=s)>e);return o<0?t.indexOf(Math.max(...t)):o}function Wt(t){let e=t*1831565813|0;return e=Math.imul(e^e>>>15,e|1),e^=e+Math.imul(e^e>>>7,e|61),((e^e>>>14)>>>0)/2**32}function gt(t,e){let{tokens:n,unknown:o,left:s}=D(t.text,e),{off:i,temperature:r,most:a,kept:l}=t,c={steps:t.passed,total:G(t.passed),over:Y(t,e)};if(!n.length)return{tokens:n,unknown:o,left:s,used:c,maps:[],asks:null,shares:[]};let p=l?T(e.model,n.slice(0,l),i):null,{layers:d,logits:x}=T(e.model,n.slice(l),i,p),h=R(t.asks??1/0,0,n.length-1),w=i.flat().some(Boolean),f=w?T(e.model,n,[]).logits:x,g=d.map(E=>E.maps),y=g[t.layer][h][t.head],b=q(x[h],r,a),$=w?q(f[h],r,a):b,k=b.map((E,v)=>v).sort((E,v)=>b[v]-b[E]||E-v);return{tokens:n,unknown:o,left:s,used:c,maps:g,asks:h,shares:y,chances:b,all:$,order:k,silent:w,logits:x}}var Ut=[128,128,128];function wt(t,{data:e,act:n,state:o}){let{num_layers:s,num_heads:i}=e.model.sizes,r=u(t,"div",{class:"maps"});u(r,"div",{class:"caption"},"every head of every layer, to choose: rows ask, columns answer");let a=(y,b,$)=>{let k=u(y,"div",{class:"frame"});u(k,"canvas",{"aria-hidden":"true"}),u(k,"div",{class:"row"}),u(y,"span",{},`${b+1}.${$+1}`)},l=Array(s).fill(i),c=O(r,"layers and heads",l,a,(y,b)=>n(ht,y,b)),{layer:p,head:d}=o;m(c[0][0],{tabindex:-1}),m(c[p][d],{tabindex:0});let x=o,h=u(r,"div",{class:"bar"}),f=A(h,"head",{type:"checkbox"},()=>n(mt,x.layer,x.head)),g=u(h,"span",{class:"s"});return(y,b)=>{x=y;let{layer:$,head:k,off:E,kept:v}=y,{tokens:_,maps:Mt,asks:J}=b;f.parentNode.firstChild.data=`head ${k+1} of layer ${$+1} is on`,f.checked=!E[$][k],m(g,{},Vt(v,_.length)),c.forEach((At,C)=>At.forEach((F,I)=>{let Q=C===$&&I===k,P=E[C][I],Lt=`layer ${C+1}, head ${I+1}`;if(m(F,{"aria-label":Lt+`${Q?", shown":""}${P?", off":""}`,class:Bt(Q,P)}),m(F.lastChild,{},`${C+1}.${I+1}${P?" off":""}`),J===null)return;let[_t,Ct]=F.firstChild.children;Xt(_t,Mt[C].map(It=>It[I]),v,e.roles.weight);let Z=100/_.length;m(Ct,{style:`top:calc(${J*Z}% - 1px);height:calc(${Z}% + 2px)`})}))}}var Bt=(t,e)=>[t&&"shown",e&&"off"].filter(Boolean).join(" ")||null;function Vt(t,e){return t?`computed: ${e-t} ${e-t===1?"row":"rows"}; grey, kept: ${t}`:`computed: all ${e} rows`}function Xt(t,e,n,o){let s=e.length,i=o.match(/\w\w/g).map(a=>parseInt(a,16));t.width!==s&&m(t,{width:s,height:s});let r=new ImageData(s,s);e.forEach((a,l)=>a.forEach((c,p)=>{let d=255*Math.sqrt(c)*(l<n?.6:1);r.data.set([...l<n?Ut:i,d],4*(l*s+p))})),t.getContext("2d").putImageData(r,0,0)}var Jt=8;function yt(t,{data:{vocabulary:e}}){let n=u(t,"div",{class:"next glides"}),o=u(n,"div",{class:"caption"}),s=Math.min(Jt,e.length),i=Array.from({length:s},()=>{let a=u(n,"div",{class:"likely"}),l=u(a,"span"),c=u(a,"span",{class:"track"});return{row:a,word:l,bar:u(c,"i"),was:u(c,"i",{class:"was"}),number:u(a,"b")}}),r=u(n,"p",{class:"s"},"the mark: with all heads on");return(a,{tokens:l,asks:c,chances:p,all:d,order:x,silent:h})=>{let w=c===null;m(o,{},w?"":`what comes out after “${e[l[c]]}”: the next word`),r.hidden=!h,i.forEach(({row:f,word:g,bar:y,was:b,number:$},k)=>{let E=!w&&p[x[k]]>0;if(f.style.visibility=E?"":"hidden",!E)return;let v=x[k];m(g,{},e[v]),m(y,{style:`width:${100*p[v]}%`}),m(b,{style:`left:calc(${100*d[v]}% - 1px)`,class:h?"was":"gone"}),m($,{},M(p[v]))})}}var Qt=42;function bt(t,{data:e,act:n}){let{vocabulary:o}=e,s=u(t,"div",{class:"caption"}),i=u(t,"div",{class:"text glides"}),r=[];function a(l){let c=p=>{u(u(p,"span",{class:"room"}),"i");for(let d of["b","small"])u(p,d)};i.replaceChildren(),[r]=O(i,"the text: who asks?",[l],c,(p,d)=>n(L,{asks:d}))}return({layer:l,head:c},{tokens:p,asks:d,shares:x})=>{r.length!==p.length&&a(p.length);let h=`in head ${c+1} of layer ${l+1}`,w=d===null?"":o[p[d]];m(s,{},w&&`“${w}” asks ${h}: the taller a bar, the larger the share it gives`),r.forEach((f,g)=>{let[y,b,$]=f.children,k=g>d,E=g===d?"asks":k?"later":null,v=k?"comes later, unseen":`gets ${M(x[g])}`,_=o[p[g]];m(f,{class:E,tabindex:g===d?0:-1}),m(f,{"aria-label":`${_}${g===d?", asks":""}, ${v}`}),m(y.firstChild,{style:`height:${k?0:Qt*x[g]}px`}),m(b,{},_),m($,{},k?"–":M(x[g]))})}}var kt=`
.typed { width: min(330px, 62vw); }
.caption { margin: 8px 0 4px; }
.text [role=row] { display: flex; flex-wrap: wrap; gap: 4px 5px; align-items: flex-end; }
.text [role=gridcell] {
  min-width: 46px; padding: 2px 6px; text-align: center; border-radius: 6px;
  border: 2.5px solid transparent;
}
.text .room { display: flex; align-items: flex-end; justify-content: center; height: 44px; }
.text i, .next i { print-color-adjust: exact; }
.text i { width: 34px; background: var(--weight); }
.text b { display: block; }
.text small { display: block; font-size: 13px; }
.text .asks { border-color: var(--query); }
.text .later { opacity: .75; }
.below { display: flex; flex-wrap: wrap; gap: 4px 32px; }
.maps { flex: 1 1 340px; max-width: 540px; min-width: 0; }
.maps [role=row] { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 112px); gap: 4px; }
.maps [role=gridcell] {
  padding: 4px; border-radius: 6px; border: 2px solid transparent; text-align: center;
  font-size: 13px; max-width: 112px;
}
.maps .shown { border-color: var(--weight); font-weight: 600; }
.maps .off canvas { opacity: .3; }
.maps .frame { position: relative; border: 1px solid color-mix(in srgb, currentColor 35%, transparent); }
.maps canvas { width: 100%; aspect-ratio: 1; }
.maps .row { position: absolute; left: -2px; right: -2px; border: 2px solid var(--query); }
.next { flex: 1 1 250px; max-width: 330px; }
.next .likely { display: grid; grid-template-columns: 92px 1fr 44px; gap: 8px; height: 25px; }
.next .likely span { overflow: hidden; text-overflow: ellipsis; text-align: right; }
.next .likely b { text-align: right; }
.next .track { position: relative; }
.next i { display: block; height: 18px; margin-top: 2px; background: var(--output); }
.next .gone { display: none; }
.next .was { position: absolute; top: -1px; width: 3px; height: 20px; background: currentColor; }
:is(.text, .maps) [role=gridcell]:focus-visible { outline: 2px solid currentColor; outline-offset: 1px; }
`;function vt(t,e){let n=bt(t,e),o=u(t,"div",{class:"below"}),s=wt(o,e),i=yt(o,e);return(r,a)=>{n(r,a),s(r,a),i(r,a)}}function $t(t,e,{vocabulary:n,room:o}){let{tokens:s,unknown:i,left:r,asks:a,shares:l,chances:c,all:p,order:d,silent:x}=e,h=[];if(i.length&&h.push([`Not in its vocabulary: ${i.join(", ")}. `]),r&&h.push([`It reads ${o} words at most. `]),a===null)return[...h,["Type a word."]];let w=l.indexOf(Math.max(...l)),f=t.off[t.layer][t.head]?", which is off,":"",g=x?[[` (${M(p[d[0]])} with all heads on)`]]:[];return[...h,[n[s[a]],"query"],[` asks. In head ${t.head+1} of layer ${t.layer+1}${f} it gives most, `],[M(l[w]),"weight"],[", to "],[n[s[w]],"key"],[". Likeliest to come next is "],[n[d[0]],"output"],[`, ${M(c[d[0]])}`],...g,["."],...Zt(t,e),[e.used.over?" Here the text ends.":""]]}function Zt({kept:t},{used:{steps:e,total:n},tokens:o}){if(e.length<2)return[];let s=a=>`${a} ${a===1?"row":"rows"}`,i=t?` and took ${t} from the cache`:"";return[[` ${`The last step computed ${s(o.length-t)} of each map${i}.`} Words read so far: ${n}.`]]}var jt=700;function te(t,e){let{act:n,data:o}=e,s=tt(t),r=A(s,"text",{type:"text",spellcheck:"false",autocomplete:"off",class:"typed"},f=>n(z,f.value,o));S(s,"write a word",()=>n(X,o));let a=st(s,e,{name:"write on",every:jt,next:f=>X(f,o),rewind:f=>xt(f,o),ended:f=>Y(f,o)}),l=A(s,"cache",{type:"checkbox"},f=>n(L,{cache:f.checked})),p=A(s,"temperature",{type:"range",min:0,max:2,step:.1},f=>n(L,{temperature:Number(f.value)})),d=et(s),x={type:"number",min:1,max:o.vocabulary.length,step:1},h=A(s,"top-k",x,f=>{f.validity.valid&&f.value&&n(L,{most:Number(f.value)})});return S(s,"Reset",()=>{a.stop(),e.reset()}),{update:f=>{K(r,f.text),l.checked=f.cache,p.value=f.temperature,m(p,{"aria-valuetext":M(f.temperature,1)}),m(d,{},M(f.temperature,1)),K(h,f.most)}}}var Et=ct({prepare:ut,begin:ft,compute:gt,controls:te,draw:vt,explain:$t,style:kt});it("live-00000000",Et);
