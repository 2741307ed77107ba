// fcbb17a640e864e285ef60254307c33cd72c4f7ffc3e655289c7f4d019a58c0e
var z="http://www.w3.org/2000/svg";var T=t=>t.namespaceURI===z;function x(t,n,e){for(let[o,r]of Object.entries(n))r===null||r===!1?t.removeAttribute(o):t.setAttribute(o,r);return e!==void 0&&t.textContent!==String(e)&&(t.textContent=e),t}function a(t,n,e={},o){let i=n==="svg"||T(t)?document.createElementNS(z,n):document.createElement(n);return x(i,e,o),t.append(i),i}var D=t=>({visibility:t?null:"hidden"});function K(t){return a(a(t,"div",{class:"scroll"}),"div",{class:"stage"})}function U(t,n,e,o=450){let r=n<884?1/0:o,i=Math.min(1180,Math.round(r*n/e)),s=Math.round(.93*n);x(t,{viewBox:`0 0 ${n} ${e}`}),x(t.parentNode,{style:`max-width:${i}px;min-width:${s}px`})}var N=t=>a(t,"div",{class:"bar"});function S(t,n,e,o){let r=a(a(t,"label",{},n),"input",e);return r.addEventListener("input",()=>o(r)),r}function W(t,n,e,o,r){let i=a(a(t,"label",{},n),"select",{value:e});for(let s of o)a(i,"option",{value:s},s);return i.value=e,i.addEventListener("input",()=>r(i.value)),i}var G=(t,n={})=>a(t,"span",{"aria-hidden":"true",...n});function I(t,n){t.getRootNode().activeElement!==t&&(t.value=n)}function R(t,n,e){let o=a(t,"button",{type:"button"},n);return o.addEventListener("click",e),o}function Y(t){let n=a(t,"p",{"aria-live":"polite"}),e="";return o=>{let r=o.map(i=>i[0]).join("");r!==e&&(e=r,n.replaceChildren(...o.map(i=>dt(...i))))}}function dt(t,n){let e=document.createElement("span");return e.textContent=t,n&&x(e,{class:"role",style:`text-decoration-color: var(--${n})`}),e}var ut=220,q=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${ut}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;var _=`
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
${q}
@media print {
  :host { break-inside: avoid; }
  .bar, .hint { display: none; }
  .scroll { overflow: visible; }
  .stage { min-width: 0 !important; }
}
`;function j(t,n){if(customElements.get(t))return;let e=class extends HTMLElement{connectedCallback(){this.shadowRoot||ft(this,n)}};customElements.define(t,e)}function ft(t,n){let e=JSON.parse(t.dataset.live),o=t.attachShadow({mode:"open"});a(o,"style",{},_);let r=a(o,"div",{class:"live",role:"group","aria-label":e.title});for(let s in e.roles)r.style.setProperty(`--${s}`,e.roles[s]);n(r,e),x(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),o.addEventListener("keydown",s=>mt(s,t));let i=t.previousElementSibling;i?.classList.contains("live-fallback")&&t.append(i)}function mt(t,n){t.ctrlKey||t.metaKey||t.altKey||t.key==="Tab"||(t.stopPropagation(),t.key==="Escape"&&(n.shadowRoot.activeElement?.blur(),n.parentElement?.closest("[tabindex]")?.focus()))}function B({prepare:t=c=>c,begin:n,compute:e,controls:o,draw:r,explain:i,...s}){let{style:c,sizes:h=()=>[0],hint:l}=s;return(p,f)=>{let m=t(f),g=h(m);c&&a(p,"style",{},c);let d={data:m,state:n(m),act:F,reset:()=>F(()=>n(m))},u=o(p,d),b=Y(p),y=a(p,"div",{class:"picture"}),E=null;w(g.at(-1)),l&&xt(p,l(m));function w(k){d.width=k,y.replaceChildren(),E=r(y,d,u.number)}function A(){let{state:k}=d,$=e(k,m);u.update(k),E(k,$),b(i(k,$,m))}let lt=gt(A);function F(k,...$){d.state=k(d.state,...$),lt()}A(),ht(p,k=>{let $=g.findLast(pt=>pt<=k)??g[0];$!==d.width&&(w($),A())})}}function ht(t,n){let e=([{contentRect:o}])=>o.width&&n(o.width);new ResizeObserver(e).observe(t)}function xt(t,n){let e=a(t,"p",{class:"hint"},n);for(let o of["pointerdown","keydown","input"]){let r=i=>i.key!=="Tab"&&x(e,{class:"hint gone"});t.addEventListener(o,r)}}function gt(t){let n=0;return()=>{n||=requestAnimationFrame(()=>{n=0,t()})}}var C=(t,n,e)=>Math.max(n,Math.min(e,t)),V=t=>t.reduce((n,e)=>n+e,0);var bt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function X(t,n,e,o,r){let i=T(t)?"g":"div",s=a(t,i,{role:"grid","aria-label":n}),c=e.map((l,p)=>{let f=a(s,i,{role:"row"});return Array.from({length:l},(m,g)=>{let d=a(f,i,{role:"gridcell",tabindex:p+g?-1:0});return d.at=[p,g],o(d,p,g),d})});return yt(s,c,l=>{for(let p of c.flat())x(p,{tabindex:p.at===l?0:-1});r(...l)}),c}function yt(t,n,e){let o=s=>s.target.closest("[role=gridcell]")?.at,r=(s,c)=>c[C(s,0,c.length-1)],i=(s,c)=>{let h=r(c,r(s,n));h.focus(),e(h.at)};t.getRootNode().addEventListener("focusin",s=>{t.contains(s.target)&&e(o(s))}),t.addEventListener("click",s=>o(s)&&i(...o(s))),t.addEventListener("keydown",s=>{let c=bt[s.key];if(!c||s.shiftKey)return;s.preventDefault();let[h,l]=o(s);i(h+c[0],l+c[1])})}function J({k:t,at:[n,e]},{found:o,dilations:r,width:i}){if(!n)return[[`Input ${e} sees itself. Choose a unit above it.`]];let s=o[0].length,c=n>1?`(${r.join(" + ")})`:r[0],h=`Its receptive field is 1 + (${t} − 1) · ${c} = ${i} positions wide`,l=s<i?"; not all of them are taps inside the row":"";return[[`Unit ${e} of layer ${n}`,"output"],[" sees "],[`${s} input${s>1?"s":""}`,"value"],[`. ${h}${l}.`]]}function Q(t){if(t===1/0)return"never";if(t<1e6)return String(t).replace(/(?=(\d{3})+$)(?!^)/g," ");let n=Math.floor(Math.log10(t)+1e-12),e=[...String(n)].map(o=>"⁰¹²³⁴⁵⁶⁷⁸⁹"[o]).join("");return`${(t/10**n).toFixed(1)} × 10${e}`}var v=17,L=5;function Z(t,n,e){let o=e?1-t:-(t-1)/2;return Array.from({length:t},(r,i)=>(o+i)*n)}var O=(t,n,e)=>e?n**t:1;function tt(t,n,e){return e.map(o=>t+o).filter(o=>o>=0&&o<n)}function wt({n:t,k:n,depth:e,dilated:o,causal:r,top:i}){let s=[[i]];for(let c=e-1;c>=0;c--){let h=Z(n,O(c,n,o),r),l=new Set(s[0].flatMap(p=>tt(p,t,h)));s.unshift([...l].sort((p,f)=>p-f))}return s}function kt(t,n,e,o){if(t===1)return 0;if(n===1)return 1/0;if(!e)return Math.ceil((t-1)*(o?1:2)/(n-1));if(!o)return t<=(n+1)/2?1:1/0;let r=0;for(let i=1;i<t;i*=n)r++;return r}function P(t,n,e,o,r){return{convolution:[2*e*t*n*n,1,kt(t,e,o,r)],"recurrent layer":[4*t*n*n,t,t],"self-attention":[4*t*t*n+8*t*n*n,1,1]}}function nt({kernel:t,depth:n,dilated:e,causal:o}){let r=[n,o?v-1:(v-1)/2];return{k:t,depth:n,dilated:e,causal:o,at:r,n:1024,d:64}}function M(t,n){let e={...t,...n},[o,r]=e.at;return{...e,causal:e.causal||e.k%2===0,at:[Math.min(o,e.depth),r]}}var et=(t,n)=>M(t,{depth:n,at:[n,t.at[1]]});function vt({k:t,depth:n,dilated:e,causal:o},r,i){let s=[];for(let c=0;c<n;c++){let h=Z(t,O(c,t,e),o);for(let l=0;l<v;l++){let p=c<r&&i[c+1].includes(l);for(let f of tt(l,v,h))s.push({layer:c,from:f,to:l,used:p})}}return s}function ot(t){let{k:n,dilated:e,causal:o,at:r,n:i,d:s}=t,[c,h]=r,l=wt({n:v,k:n,depth:c,dilated:e,causal:o,top:h}),p=Array.from({length:c},(f,m)=>O(m,n,e));return{found:l,dilations:p,width:1+(n-1)*V(p),links:vt(t,c,l),costs:P(i,s,n,e,o)}}var rt=`
.unit {
  fill: color-mix(in srgb, currentColor 12%, transparent);
  stroke: currentColor; stroke-opacity: .5;
}
.hit {
  fill: color-mix(in srgb, var(--value) 60%, transparent);
  stroke: var(--value); stroke-opacity: 1; stroke-width: 2.5;
}
.asked {
  fill: color-mix(in srgb, var(--output) 60%, transparent);
  stroke: var(--output); stroke-opacity: 1; stroke-width: 3;
}
table { border-collapse: collapse; font: inherit; color: inherit; margin: 6px 0; }
th, td {
  padding: 3px 14px; text-align: right;
  border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent);
}
th:first-child { text-align: left; }
.narrow :is(th, td) { padding: 3px 5px; font-size: 13px; }
.u { font-size: 11px; }
`,it=248,H=20,$t=68,st=()=>[340,600,884];function Lt(t){let n=t<600,e=n?22:84,o=(t-e-(n?0:10))/v,r=Math.min(13,o/2-.6);return{width:t,narrow:n,left:e,r,x:i=>e+(i+.5)*o}}function Mt(t){let n=Math.min($t,(it-2*H)/t);return e=>H+(t-e)*n}function ct(t,n){let{act:e,width:o}=n,r=a(K(t),"svg",{class:"glides"});U(r,o,it,310);let i=Lt(o),s=At(r,i),c=St(r,i,e),h=Ct(t,n,i);return(l,p)=>{let f=Mt(l.depth);x(r,{viewBox:`0 0 ${o} ${f(0)+H}`}),s(p.links,f),c(l,p.found,f),h(l,p.costs)}}function At(t,{x:n,r:e}){let o={stroke:"currentColor","stroke-opacity":.16,"stroke-width":1.2},r={stroke:"var(--value)","stroke-width":3.5,"stroke-linecap":"round"},i=a(t,"path",{fill:"none",...o}),s=a(t,"path",{fill:"none",...r});return(c,h)=>{let l=({layer:f,from:m,to:g})=>`M${n(m)},${h(f)-e}L${n(g)},${h(f+1)+e}`,p=f=>f.map(l).join("")||"M0,0";x(i,{d:p(c)}),x(s,{d:p(c.filter(f=>f.used))})}}function St(t,{x:n,r:e,left:o,narrow:r},i){let s=()=>a(t,"text",{class:"e s",x:o-8}),c=Array.from({length:L+1},s),h=(m,g,d)=>{a(m,"circle",{cx:n(d),r:e,class:"unit"}),a(m,"text",{class:r?"m u":"m s",x:n(d)}),a(m,"circle",{cx:n(d),r:e+(r?1:4),class:"ring"})},l=(m,g)=>i(M,{at:[L-m,g]}),f=X(t,"units: which one is asked about?",Array(L+1).fill(v),h,l);return(m,g,d)=>{c.forEach((u,b)=>{let y=r?b||"in":b?`layer ${b}`:"inputs";x(u,{y:d(b)+4,...D(b<=m.depth)},y)}),f.forEach((u,b)=>{let y=L-b,E=w=>y<=m.at[0]&&g[y].includes(w);x(u[0].parentNode,{display:y>m.depth?"none":null}),u.forEach((w,A)=>It(w,m.at,[y,A],E(A),d(y)))})}}function It(t,n,[e,o],r,i){let[s,c,h]=t.children,l=e===n[0]&&o===n[1],p=`${e?`layer ${e}`:"input"}, position ${o}`,[f,m]=l?[" asked",", asked about"]:r?[" hit",", seen"]:["",""];x(t,{tabindex:l?0:-1,"aria-label":p+m}),x(s,{cy:i,class:"unit"+f}),x(c,{y:i+4},o),x(h,{cy:i})}var Nt=["one layer","FLOPs","one after another","longest path"];function Ct(t,{act:n,data:e},{narrow:o}){let{kernel:r,dilated:i,causal:s}=e,c=N(t),h=(d,u,b)=>S(c,d,{type:"number",min:1,max:b,step:1},w=>n(M,{[u]:C(Math.round(w.value)||1,1,b)})),l=h("positions n","n",1e6),p=h("width d","d",1e5),f=a(t,"table",{class:o?"narrow":null}),m=a(f,"tr");for(let d of Nt)a(m,"th",{scope:"col"},d);let g=Object.keys(P(1,1,r,i,s)).map(d=>{let u=a(f,"tr");return[a(u,"th",{scope:"row"},d),...[0,1,2].map(()=>a(u,"td"))]});return(d,u)=>{I(l,d.n),I(p,d.d),Object.values(u).forEach((b,y)=>{b.forEach((E,w)=>x(g[y][w+1],{},Q(E)))}),x(g[0][0],{},`convolution, k = ${d.k}`)}}var Tt=[1,2,3,5,7,9];function Dt(t,n){let{act:e,data:o}=n,r=N(t),i=[...new Set([...Tt,o.kernel])].sort((u,b)=>u-b),s=u=>e(M,{k:Number(u)}),c=W(r,"kernel",o.kernel,i,s),l=S(r,"layers",{type:"range",min:1,max:L,step:1},u=>e(et,Number(u.value))),p=G(r),f=u=>S(r,u,{type:"checkbox"},b=>e(M,{[u]:b.checked})),m=f("dilated"),g=f("causal");R(r,"Reset",n.reset);function d(u){c.value=u.k,I(l,u.depth),x(p,{},u.depth),m.checked=u.dilated,g.checked=u.causal,g.disabled=u.k%2===0}return{update:d}}var Rt=()=>"Click a unit: what it sees lights up. Add layers, and switch the dilation on and off.",at=B({begin:nt,compute:ot,controls:Dt,draw:ct,explain:J,style:rt,sizes:st,hint:Rt});j("live-00000000",at);
