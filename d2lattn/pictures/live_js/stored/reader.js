// f3b83258c989b7f3998cada3f5590f325a18a377dcf1bcd08d443ed3771a03ae
var tt="http://www.w3.org/2000/svg";var K=t=>t.namespaceURI===tt;function h(t,e,n){for(let[o,s]of Object.entries(e))s===null||s===!1?t.removeAttribute(o):t.setAttribute(o,s);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function u(t,e,n={},o){let i=e==="svg"||K(t)?document.createElementNS(tt,e):document.createElement(e);return h(i,n,o),t.append(i),i}var et=t=>u(t,"div",{class:"bar"});function C(t,e,n,o){let s=u(u(t,"label",{},e),"input",n);return s.addEventListener("input",()=>o(s)),s}var nt=(t,e={})=>u(t,"span",{"aria-hidden":"true",...e});function G(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function N(t,e,n){let o=u(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function ot(t){let e=u(t,"p",{"aria-live":"polite"}),n="";return o=>{let s=o.map(i=>i[0]).join("");s!==n&&(n=s,e.replaceChildren(...o.map(i=>St(...i))))}}function St(t,e){let n=document.createElement("span");return n.textContent=t,e&&h(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var Nt=220,st=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${Nt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function it(t,e,{name:n="Play",every:o=400,next:s,rewind:i,ended:r}){let a=0,l=N(t,`▶ ${n}`,()=>a?c():d());function c(){clearInterval(a),a=0,rt(t,!1),h(l,{},`▶ ${n}`)}function p(){if(!l.isConnected)return c();r(s(e.state))&&c(),e.act(s)}function d(){r(e.state)&&e.act(i),a=setInterval(p,o),rt(t,o<1e3),h(l,{},"❚❚ Pause"),p()}for(let m of["input","click"])t.addEventListener(m,x=>a&&x.target!==l&&c());return{node:l,stop:c}}var rt=(t,e)=>h(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});var at=`
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
[role=gridcell]:hover > .ring { stroke: currentColor; stroke-opacity: .55; stroke-width: 1.5; }
.edit { cursor: ns-resize; }
.edit text { text-decoration: underline dotted 1.5px; text-underline-offset: 3px; }
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
.hint { font-size: 13px; min-height: 0; opacity: .8; }
.gone { visibility: hidden; }
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
  .bar, .hint { display: none; }
  .scroll { overflow: visible; }
  .stage { min-width: 0 !important; }
}
`;function ct(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||Tt(this,e)}};customElements.define(t,n)}function Tt(t,e){let n=JSON.parse(t.dataset.live),o=t.attachShadow({mode:"open"});u(o,"style",{},at);let s=u(o,"div",{class:"live",role:"group","aria-label":n.title});for(let r in n.roles)s.style.setProperty(`--${r}`,n.roles[r]);e(s,n),h(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),o.addEventListener("keydown",r=>Dt(r,t));let i=t.previousElementSibling;i?.classList.contains("live-fallback")&&t.append(i)}function Dt(t,e){t.ctrlKey||t.metaKey||t.altKey||t.key==="Tab"||(t.stopPropagation(),t.key==="Escape"&&(e.shadowRoot.activeElement?.blur(),e.parentElement?.closest("[tabindex]")?.focus()))}function lt({prepare:t=a=>a,begin:e,compute:n,controls:o,draw:s,explain:i,...r}){let{style:a,sizes:l=()=>[0],hint:c}=r;return(p,d)=>{let m=t(d),x=l(m);a&&u(p,"style",{},a);let g={data:m,state:e(m),act:v,reset:()=>v(()=>e(m))},f=o(p,g),w=ot(p),y=u(p,"div",{class:"picture"}),b=null;$(x.at(-1)),c&&Ot(p,c(m));function $(E){g.width=E,y.replaceChildren(),b=s(y,g,f.number)}function k(){let{state:E}=g,A=n(E,m);f.update(E),b(E,A),w(i(E,A,m))}let M=zt(k);function v(E,...A){g.state=E(g.state,...A),M()}k(),Rt(p,E=>{let A=x.findLast(O=>O<=E)??x[0];A!==g.width&&($(A),k())})}}function Rt(t,e){let n=([{contentRect:o}])=>o.width&&e(o.width);new ResizeObserver(n).observe(t)}function Ot(t,e){let n=u(t,"p",{class:"hint"},e);for(let o of["pointerdown","keydown","input"]){let s=i=>i.key!=="Tab"&&h(n,{class:"hint gone"});t.addEventListener(o,s)}}function zt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var S=(t,e)=>({...t,...e});function L(t,e=2){if(Number.isNaN(t))return"–";if(!Number.isFinite(t))return t>0?"∞":"−∞";let n=qt(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function qt(t,e){return t>=1e4||t>0&&t<1e-9?t.toExponential(1):t.toFixed(t>=100?Math.min(1,e):e)}var z=(t,e,n)=>Math.max(e,Math.min(n,t)),U=t=>t.reduce((e,n)=>e+n,0);function B(t,e=t.map(()=>!0)){let n=Math.max(...t.filter((i,r)=>e[r]));if(n===-1/0)return{shares:t.map(()=>0),sum:0,largest:n};let o=t.map((i,r)=>e[r]?Math.exp(i-n):0),s=U(o);return{shares:o.map(i=>i/s),sum:s,largest:n}}var Yt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function q(t,e,n,o,s){let i=K(t)?"g":"div",r=u(t,i,{role:"grid","aria-label":e}),a=n.map((c,p)=>{let d=u(r,i,{role:"row"});return Array.from({length:c},(m,x)=>{let g=u(d,i,{role:"gridcell",tabindex:p+x?-1:0});return g.at=[p,x],o(g,p,x),g})});return Ft(r,a,c=>{for(let p of a.flat())h(p,{tabindex:p.at===c?0:-1});s(...c)}),a}function Ft(t,e,n){let o=r=>r.target.closest("[role=gridcell]")?.at,s=(r,a)=>a[z(r,0,a.length-1)],i=(r,a)=>{let l=s(a,s(r,e));l.focus(),n(l.at)};t.getRootNode().addEventListener("focusin",r=>{t.contains(r.target)&&n(o(r))}),t.addEventListener("click",r=>o(r)&&i(...o(r))),t.addEventListener("keydown",r=>{let a=Yt[r.key];if(!a||r.shiftKey)return;r.preventDefault();let[l,c]=o(r);i(l+a[0],c+a[1])})}function pt(t,e){let n=0;for(let o=0;o<t.length;o++)n+=t[o]*e[o];return n}function Pt(t){let[e,n,o]=[t>>15?-1:1,t>>10&31,t&1023];return n===0?e*o*2**-24:e*(1+o/1024)*2**(n-15)}function dt({shapes:t,text:e}){let n=atob(e),o=new Float64Array(n.length/2);for(let r=0;r<o.length;r++)o[r]=Pt(n.charCodeAt(2*r)+256*n.charCodeAt(2*r+1));let s={},i=0;for(let[r,[a,l=1]]of Object.entries(t)){let c=p=>o.subarray(i+p*l,i+(p+1)*l);s[r]=Array.from({length:a},(p,d)=>c(d)),i+=a*l}return s}var X=(t,e)=>t.map((n,o)=>n+e[o]);function T({weights:t},e,n){let o=t[`${e}.weight`],s=t[`${e}.bias`],i=new Float64Array(o.length);for(let r=0;r<i.length;r++)i[r]=pt(n,o[r])+(s?s[r][0]:0);return i}function J({weights:t},e,n){let o=n.reduce((l,c)=>l+c,0)/n.length,s=n.reduce((l,c)=>l+(c-o)**2,0)/n.length,i=1/Math.sqrt(s+1e-5),r=t[`${e}.weight`],a=t[`${e}.bias`];return n.map((l,c)=>(l-o)*i*r[c][0]+(a?.[c][0]??0))}var Wt=t=>.5*t*(1+Math.tanh(Math.sqrt(2/Math.PI)*(t+.044715*t**3))),ut=(t,e,n,o)=>t/o**(2*e/n);function Ht({sizes:{positions:t,embed_dim:e,base:n},weights:o},s,i){let r=o["embedding.weight"][s];return t==="learned"?X(r,o["position.weight"][i]):t!=="sinusoidal"?r:r.map((a,l)=>{let c=ut(i,Math.floor(l/2),e,n);return a+(l%2?Math.cos(c):Math.sin(c))})}function V({sizes:{positions:t,base:e}},n,o,s,i){let r=n.length/o;return Array.from({length:o},(a,l)=>{let c=n.slice(l*r,(l+1)*r);return!i||t!=="rotary"?c:c.map((p,d)=>{let m=ut(s,Math.floor(d/2),r,e),x=c[d^1];return p*Math.cos(m)+(d%2?x:-x)*Math.sin(m)})})}function Kt({sizes:t,slopes:e},{keys:n,values:o},s,i){let{num_heads:r,num_kv_heads:a,window:l}=t;return s.map((c,p)=>{let d=Math.floor(p*a/r),m=n.map((w,y)=>l===null||i-y<l),x=n.map((w,y)=>{let b=e?e[p]*(i-y):0;return pt(c,w[d])/Math.sqrt(c.length)-b}),{shares:g}=B(x,m),f=c.map((w,y)=>g.reduce((b,$,k)=>b+$*o[k][d][y],0));return{shares:g,found:f}})}function Gt(t,e,n,o,s,i){let{num_heads:r,num_kv_heads:a,mlp_dim:l}=t.sizes,c=`blocks.${e}.`,p=J(t,`${c}attention_norm`,o),d=w=>T(t,`${c}attention.${w}_proj`,p);n.keys.push(V(t,d("k"),a,s,!0)),n.values.push(V(t,d("v"),a,s,!1));let m=Kt(t,n,V(t,d("q"),r,s,!0),s);n.maps.push(m.map(({shares:w})=>w));let x=m.flatMap(({found:w},y)=>[...i[e]?.[y]?w.fill(0):w]),g=X(o,T(t,`${c}attention.out_proj`,x));if(!l)return g;let f=T(t,`${c}mlp.0`,J(t,`${c}mlp_norm`,g)).map(Wt);return X(g,T(t,`${c}mlp.2`,f))}function D(t,e,n=[],o=null){let s=Array.from({length:t.sizes.num_layers},(r,a)=>{let{keys:l=[],values:c=[],maps:p=[]}=o?.layers[a]??{};return{keys:[...l],values:[...c],maps:[...p]}}),i=[...o?.logits??[]];for(let r of e){let a=i.length,l=Ht(t,r,a);s.forEach((p,d)=>l=Gt(t,d,p,l,a,n));let c=t.sizes.tied?"embedding":"to_logits";i.push(T(t,c,J(t,"norm",l)))}return{layers:s,logits:i}}function Y(t,e,n){let o=Array.from(t,(r,a)=>a).sort((r,a)=>t[a]-t[r]||r-a),s=new Set(o.slice(0,e?n:1)),i=Array.from(t,r=>r/(e||1));return B(i,i.map((r,a)=>s.has(a))).shares}var ft=t=>({...t,model:{...t.model,weights:dt(t.model)}});function mt(t){let{num_layers:e,num_heads:n}=t.model.sizes,{begins:o,layer:s,head:i,temperature:r,most:a}=t,l=t.asks<R(o,t).tokens.length-1?t.asks:null,c=Array.from({length:e},()=>Array(n).fill(!1));return F({...{asks:l,layer:s,head:i,temperature:r,most:a,off:c,cache:!0,seed:1},text:o},o,t)}function R(t,{vocabulary:e,stop:n,room:o}){let s=t.replace(/[.,!?;:]/g," $& ").match(/\S+/g)??[],i=e.map(p=>p.toLowerCase()),r=s.map(p=>i.indexOf(p.toLowerCase())),l=[...n===null?[]:[n],...r.filter(p=>p>=0)],c=s.filter((p,d)=>r[d]<0);return{tokens:l.slice(0,o),unknown:c,left:l.length>o}}function F(t,e,n){let{length:o}=R(e,n).tokens,s=t.asks!==null&&t.asks<o?t.asks:null;return{...t,text:e,typed:e,asks:s,passed:[o],kept:0}}function ht(t,e,n){let o=t.off.map((s,i)=>s.map((r,a)=>i===e&&a===n?!r:r));return{...t,off:o,kept:0}}var xt=(t,e,n)=>({...t,layer:e,head:n});function P({text:t},e){let{tokens:n}=R(t,e);return n.length>1&&n.at(-1)===e.stop||!n.length||n.length>=e.room}function Q(t,e){if(P(t,e))return t;let{tokens:n}=R(t.text,e),{logits:o}=D(e.model,n,t.off),s=Y(o.at(-1),t.temperature,t.most),i=e.vocabulary[Ut(s,Bt(t.seed))],r=n.length,a=[...t.passed,t.cache?1:r+1],l=`${t.text} ${i}`.trim();return{...t,text:l,asks:null,seed:t.seed+1,passed:a,kept:t.cache?r:0}}var gt=(t,e)=>F(t,t.typed,e);function Ut(t,e){let n=0,o=t.findIndex(s=>s&&(n+=s)>e);return o<0?t.indexOf(Math.max(...t)):o}function Bt(t){let e=t*1831565813|0;return e=Math.imul(e^e>>>15,e|1),e^=e+Math.imul(e^e>>>7,e|61),((e^e>>>14)>>>0)/2**32}function wt(t,e){let{tokens:n,unknown:o,left:s}=R(t.text,e),{off:i,temperature:r,most:a,kept:l}=t,c={steps:t.passed,total:U(t.passed),over:P(t,e)};if(!n.length)return{tokens:n,unknown:o,left:s,used:c,maps:[],asks:null,shares:[]};let p=l?D(e.model,n.slice(0,l),i):null,{layers:d,logits:m}=D(e.model,n.slice(l),i,p),x=z(t.asks??1/0,0,n.length-1),g=i.flat().some(Boolean),f=g?D(e.model,n,[]).logits:m,w=d.map(M=>M.maps),y=w[t.layer][x][t.head],b=Y(m[x],r,a),$=g?Y(f[x],r,a):b,k=b.map((M,v)=>v).sort((M,v)=>b[v]-b[M]||M-v);return{tokens:n,unknown:o,left:s,used:c,maps:w,asks:x,shares:y,chances:b,all:$,order:k,silent:g,logits:m}}var Vt=[128,128,128];function yt(t,{data:e,act:n,state:o}){let{num_layers:s,num_heads:i}=e.model.sizes,r=u(t,"div",{class:"maps"});u(r,"div",{class:"caption"},"every head of every layer, to choose: rows ask, columns answer");let a=(y,b,$)=>{let k=u(y,"div",{class:"frame"});u(k,"canvas",{"aria-hidden":"true"}),u(k,"div",{class:"row"}),u(y,"span",{},`${b+1}.${$+1}`)},l=Array(s).fill(i),c=q(r,"layers and heads",l,a,(y,b)=>n(xt,y,b)),{layer:p,head:d}=o;h(c[0][0],{tabindex:-1}),h(c[p][d],{tabindex:0});let m=o,x=u(r,"div",{class:"bar"}),f=C(x,"head",{type:"checkbox"},()=>n(ht,m.layer,m.head)),w=u(x,"span",{class:"s"});return(y,b)=>{m=y;let{layer:$,head:k,off:M,kept:v}=y,{tokens:E,maps:A,asks:O}=b;f.parentNode.firstChild.data=`head ${k+1} of layer ${$+1} is on`,f.checked=!M[$][k],h(w,{},Jt(v,E.length)),c.forEach((Lt,I)=>Lt.forEach((W,_)=>{let Z=I===$&&_===k,H=M[I][_],At=`${I+1}.${_+1}: layer ${I+1}, head ${_+1}`;if(h(W,{"aria-label":At+`${Z?", shown":""}${H?", off":""}`,class:Xt(Z,H)}),h(W.lastChild,{},`${I+1}.${_+1}${H?" off":""}`),O===null)return;let[Ct,It]=W.firstChild.children;Qt(Ct,A[I].map(_t=>_t[_]),v,e.roles.weight);let j=100/E.length;h(It,{style:`top:calc(${O*j}% - 1px);height:calc(${j}% + 2px)`})}))}}var Xt=(t,e)=>[t&&"shown",e&&"off"].filter(Boolean).join(" ")||null;function Jt(t,e){return t?`computed: ${e-t} ${e-t===1?"row":"rows"}; grey, kept: ${t}`:`computed: all ${e} rows`}function Qt(t,e,n,o){let s=e.length,i=o.match(/\w\w/g).map(a=>parseInt(a,16));t.width!==s&&h(t,{width:s,height:s});let r=new ImageData(s,s);e.forEach((a,l)=>a.forEach((c,p)=>{let d=255*Math.sqrt(c)*(l<n?.6:1);r.data.set([...l<n?Vt:i,d],4*(l*s+p))})),t.getContext("2d").putImageData(r,0,0)}var Zt=8;function bt(t,{data:{vocabulary:e}}){let n=u(t,"div",{class:"next glides"}),o=u(n,"div",{class:"caption"}),s=Math.min(Zt,e.length),i=Array.from({length:s},()=>{let a=u(n,"div",{class:"likely"}),l=u(a,"span"),c=u(a,"span",{class:"track"});return{row:a,word:l,bar:u(c,"i"),was:u(c,"i",{class:"was"}),number:u(a,"b")}}),r=u(n,"p",{class:"s"},"the mark: with all heads on");return(a,{tokens:l,asks:c,chances:p,all:d,order:m,silent:x})=>{let g=c===null;h(o,{},g?"":`what comes out after “${e[l[c]]}”: the next word`),r.hidden=!x,i.forEach(({row:f,word:w,bar:y,was:b,number:$},k)=>{let M=!g&&p[m[k]]>0;if(f.style.visibility=M?"":"hidden",!M)return;let v=m[k];h(w,{},e[v]),h(y,{style:`width:${100*p[v]}%`}),h(b,{style:`left:calc(${100*d[v]}% - 1px)`,class:x?"was":"gone"}),h($,{},L(p[v]))})}}var jt=42;function kt(t,{data:e,act:n}){let{vocabulary:o}=e,s=u(t,"div",{class:"caption"}),i=u(t,"div",{class:"text glides"}),r=[];function a(l){let c=p=>{u(u(p,"span",{class:"room"}),"i");for(let d of["b","small"])u(p,d)};i.replaceChildren(),[r]=q(i,"the text: who asks?",[l],c,(p,d)=>n(S,{asks:d}))}return({layer:l,head:c},{tokens:p,asks:d,shares:m})=>{r.length!==p.length&&a(p.length);let x=`in head ${c+1} of layer ${l+1}`,g=d===null?"":o[p[d]];h(s,{},g&&`“${g}” asks ${x}: the taller a bar, the larger the share it gives`),r.forEach((f,w)=>{let[y,b,$]=f.children,k=w>d,M=w===d?"asks":k?"later":null,v=k?"comes later, unseen":`gets ${L(m[w])}`,E=o[p[w]];h(f,{class:M,tabindex:w===d?0:-1}),h(f,{"aria-label":`${E}${w===d?", asks":""}, ${v}`}),h(y.firstChild,{style:`height:${k?0:jt*m[w]}px`}),h(b,{},E),h($,{},k?"–":L(m[w]))})}}var vt=`
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
`;function $t(t,e){let n=kt(t,e),o=u(t,"div",{class:"below"}),s=yt(o,e),i=bt(o,e);return(r,a)=>{n(r,a),s(r,a),i(r,a)}}function Et(t,e,{vocabulary:n,room:o}){let{tokens:s,unknown:i,left:r,asks:a,shares:l,chances:c,all:p,order:d,silent:m}=e,x=[];if(i.length&&x.push([`Not in its vocabulary: ${i.join(", ")}. `]),r&&x.push([`It reads ${o} words at most. `]),a===null)return[...x,["Type a word."]];let g=l.indexOf(Math.max(...l)),f=t.off[t.layer][t.head]?", which is off,":"",w=m?[[` (${L(p[d[0]])} with all heads on)`]]:[];return[...x,[n[s[a]],"query"],[` asks. In head ${t.head+1} of layer ${t.layer+1}${f} it gives most, `],[L(l[g]),"weight"],[", to "],[n[s[g]],"key"],[". Likeliest to come next is "],[n[d[0]],"output"],[`, ${L(c[d[0]])}`],...w,["."],...te(t,e),[e.used.over?" Here the text ends.":""]]}function te({kept:t},{used:{steps:e,total:n},tokens:o}){if(e.length<2)return[];let s=a=>`${a} ${a===1?"row":"rows"}`,i=t?` and took ${t} from the cache`:"";return[[` ${`The last step computed ${s(o.length-t)} of each map${i}.`} Words read so far: ${n}.`]]}var ee=700;function ne(t,e){let{act:n,data:o}=e,s=et(t),r=C(s,"text",{type:"text",spellcheck:"false",autocomplete:"off",class:"typed"},f=>n(F,f.value,o));N(s,"write a word",()=>n(Q,o));let a=it(s,e,{name:"write on",every:ee,next:f=>Q(f,o),rewind:f=>gt(f,o),ended:f=>P(f,o)}),l=C(s,"cache",{type:"checkbox"},f=>n(S,{cache:f.checked})),p=C(s,"temperature",{type:"range",min:0,max:2,step:.1},f=>n(S,{temperature:Number(f.value)})),d=nt(s),m={type:"number",min:1,max:o.vocabulary.length,step:1},x=C(s,"top-k",m,f=>{f.validity.valid&&f.value&&n(S,{most:Number(f.value)})});return N(s,"Reset",()=>{a.stop(),e.reset()}),{update:f=>{G(r,f.text),l.checked=f.cache,p.value=f.temperature,h(p,{"aria-valuetext":L(f.temperature,1)}),h(d,{},L(f.temperature,1)),G(x,f.most)}}}var Mt=lt({prepare:ft,begin:mt,compute:wt,controls:ne,draw:$t,explain:Et,style:vt});ct("live-00000000",Mt);
