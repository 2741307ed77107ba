// 43cf0fa513cfd61baab9add7103f6d7de1742c69f74146ddbe4cc01201d7540d
var W="http://www.w3.org/2000/svg";var D=t=>t.namespaceURI===W;function x(t,e,n){for(let[o,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(o):t.setAttribute(o,r);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function p(t,e,n={},o){let s=e==="svg"||D(t)?document.createElementNS(W,e):document.createElement(e);return x(s,n,o),t.append(s),s}var T=t=>({visibility:t?null:"hidden"});function j(t){return p(p(t,"div",{class:"scroll"}),"div",{class:"stage"})}function K(t,e,n,o=450,r=e<884){let i=Math.min(1180,Math.round((r?1/0:o)*e/n)),a=Math.round(.93*e);x(t,{viewBox:`0 0 ${e} ${n}`}),x(t.parentNode,{style:`max-width:${i}px;min-width:${a}px`})}var M=t=>p(t,"div",{class:"bar"});function N(t,e,n,o){let r=p(p(t,"label",{},e),"input",n);return r.addEventListener("input",()=>o(r)),r}var P=(t,e,{step:n=1,...o},r)=>N(t,e,{type:"range",step:n,...o},s=>r(Number(s.value))),R=(t,e,n)=>N(t,e,{type:"checkbox"},o=>n(o.checked));function Y(t,e,n,o,r){let s=p(p(t,"label",{},e),"select",{value:n});for(let i of o)p(s,"option",{value:i},i);return s.value=n,s.addEventListener("input",()=>r(s.value)),s}var O=(t,e={})=>p(t,"span",{"aria-hidden":"true",...e});function C(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function H(t,e,n){let o=p(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function B(t){let e=p(t,"p",{"aria-live":"polite"}),n="";return o=>{let r=o.map(s=>s[0]).join("");r!==n&&(n=r,e.replaceChildren(...o.map(s=>ht(...s))),e.offsetHeight&&(e.style.minHeight=`${e.offsetHeight}px`))}}function ht(t,e){let n=document.createElement("span");return n.textContent=t,e&&x(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var gt=220,_=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${gt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;var V=`
:host { display: block; color: inherit; max-width: 1180px; margin: 4px 0; }
* { box-sizing: border-box; }
.live {
  font: 15px/1.45 system-ui, "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
svg { display: block; width: 100%; height: auto; overflow: visible; }
text { fill: currentColor; font-size: 14px; }
.n, .e { text-anchor: end; } .m { text-anchor: middle; }
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
[role=gridcell]:focus .ring { stroke: currentColor; stroke-width: 2; }
:where(div)[role=row] { display: flex; flex-wrap: wrap; gap: 4px; }
:where(div)[role=gridcell] { border-radius: 6px; border: 2px solid transparent; }
div[role=gridcell]:focus-visible { outline: 2px solid currentColor; outline-offset: 1px; }
.shown, .asks { font-weight: 600; }
.asks { border-color: var(--query); }
.below { display: flex; flex-wrap: wrap; gap: 4px 28px; align-items: flex-start; }
.caption { margin: 6px 0 4px; }
i { display: block; print-color-adjust: exact; } /* a bar */
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
.hint { font-size: 14px; min-height: 0; opacity: .8; }
.gone { visibility: hidden; }
.role { text-decoration: underline 3px; text-underline-offset: 3px; }
[hidden] { display: none; }
.stepper { display: inline-flex; gap: 6px; }
[aria-disabled] { opacity: .45; cursor: default; }
canvas { display: block; image-rendering: pixelated; }
.scroll { overflow-x: auto; padding: 3px; margin: -3px; }
.stage, .stage svg { position: relative; }
.stage canvas { position: absolute; }
${_}
@media (pointer: coarse) and (max-width: 600px) {
  .live { display: flex; flex-direction: column; }
  :is(.bar, .kind) :is(input, select, button) { min-height: 40px; }
  .hint { order: -1; font-size: 15px; }
  p:where([aria-live]) { min-height: 5.8em; }
}
@media print {
  :host { break-inside: avoid; }
  .bar, .hint { display: none; }
  .scroll { overflow: visible; }
  .stage { min-width: 0 !important; }
}
`;var yt=".reveal",bt=/^Page/,wt="[role],[type=range]",X="data-lm-suppress-shortcuts",kt={click:"button, summary",change:"select, [type=checkbox]"};function J(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||vt(this,e)}};customElements.define(t,n);let o=r=>r.target.localName===t&&r.target.toggleAttribute(X,!Q(r));addEventListener("keydown",o,!0)}var Q=({key:t,ctrlKey:e,metaKey:n,shiftKey:o})=>t==="Enter"?o||e:t==="s"&&(e||n);function vt(t,e){let n={...JSON.parse(t.dataset.live),deck:t.closest(yt)!==null},o=t.attachShadow({mode:"open"});p(o,"style",{},V);let r=p(o,"div",{class:"live",role:"group","aria-label":n.title});for(let i in n.roles)r.style.setProperty(`--${i}`,n.roles[i]);e(r,n),x(t,{[X]:"","data-prevent-swipe":""}),Et(o,t,n.deck);let s=t.previousElementSibling;s?.classList.contains("live-fallback")&&t.append(s)}function Et(t,e,n){let o=!1,r=!1;t.addEventListener("pointerdown",()=>o=!0);let s=i=>{r=n&&$t(i,o),r&&i.preventDefault(),o=!1};t.addEventListener("keydown",s,!0),t.addEventListener("keydown",i=>{if(!(i.ctrlKey||i.metaKey||i.altKey||i.key==="Tab")){if(Q(i))return F(e);r||i.stopPropagation(),(r||i.key==="Escape")&&F(e)}});for(let[i,a]of Object.entries(kt)){let u=({target:l})=>n&&o&&l.matches(a);t.addEventListener(i,l=>u(l)&&F(e),!0)}}var $t=({key:t,target:e},n)=>bt.test(t)||n&&/^Arrow[LR]/.test(t)&&e.matches(wt);function F(t){t.shadowRoot.activeElement?.blur(),t.closest("[tabindex]")?.focus()}function Z({prepare:t=a=>a,begin:e,compute:n,controls:o,draw:r,explain:s,...i}){let{style:a,sizes:u=()=>[0],hint:l}=i;return(d,c)=>{let f=t(c),h=u(f);a&&p(d,"style",{},a);let m={data:f,state:e(f),act:G,reset:()=>G(()=>e(f))},y=o(M(d),m),g=B(d),b=p(d,"div",{class:"picture"}),$=null;w(h.at(-1)),l&&St(d,l(f));function w(k){m.width=k,b.replaceChildren(),$=r(b,m)}function A(){let{state:k}=m,L=n(k,f);y(k),$(k,L),g(s(k,L,f))}let mt=At(A);function G(k,...L){m.state=k(m.state,...L),mt()}A(),Lt(d,k=>{x(d.querySelector("[aria-live]"),{style:null});let L=h.findLast(xt=>xt<=k)??h[0];L!==m.width&&(w(L),A())})}}function Lt(t,e){let n=([{contentRect:o}])=>o.width&&e(o.width);new ResizeObserver(n).observe(t)}function St(t,e){let n=p(t,"p",{class:"hint"},e);for(let o of["pointerdown","keydown","input"]){let r=s=>s.key!=="Tab"&&x(n,{class:"hint gone"});t.addEventListener(o,r)}}function At(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var I=(t,e,n)=>Math.max(e,Math.min(n,t)),tt=t=>t.reduce((e,n)=>e+n,0);var Ct={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function et(t,e,n,o,r){let s=D(t)?"g":"div",i=p(t,s,{role:"grid","aria-label":e}),a=n.map((l,d)=>{let c=p(i,s,{role:"row"});return Array.from({length:l},(f,h)=>{let m=p(c,s,{role:"gridcell",tabindex:d+h?-1:0});return m.at=[d,h],o(m,d,h),m})});return Mt(i,a,l=>{for(let d of a.flat())x(d,{tabindex:d.at===l?0:-1});r(...l)}),a}function Mt(t,e,n){let o=i=>i.target.closest("[role=gridcell]")?.at,r=(i,a)=>a[I(i,0,a.length-1)],s=(i,a)=>{let u=r(a,r(i,e));u.focus(),n(u.at)};t.getRootNode().addEventListener("focusin",i=>{t.contains(i.target)&&n(o(i))}),t.addEventListener("click",i=>o(i)&&s(...o(i))),t.addEventListener("keydown",i=>{let a=Ct[i.key];if(!a||i.shiftKey||i.defaultPrevented)return;i.preventDefault();let[u,l]=o(i);s(u+a[0],l+a[1])})}function nt({k:t,at:[e,n]},{found:o,dilations:r,width:s}){if(!e)return[[`Input ${n} sees itself. Choose a unit above it.`]];let i=o[0].length,a=e>1?`(${r.join(" + ")})`:r[0],u=`Its receptive field is 1 + (${t} − 1) · ${a} = ${s} positions wide`,l=i<s?"; not all of them are taps inside the row":"";return[[`Unit ${n} of layer ${e}`,"output"],[" sees "],[`${i} input${i>1?"s":""}`,"value"],[`. ${u}${l}.`]]}function ot(t){if(t===1/0)return"never";if(t<1e6)return String(t).replace(/(?=(\d{3})+$)(?!^)/g," ");let e=Math.floor(Math.log10(t)+1e-12),n=[...String(e)].map(o=>"⁰¹²³⁴⁵⁶⁷⁸⁹"[o]).join("");return`${(t/10**e).toFixed(1)} × 10${n}`}var v=17,S=5;function rt(t,e,n){let o=n?1-t:-(t-1)/2;return Array.from({length:t},(r,s)=>(o+s)*e)}var U=(t,e,n)=>n?e**t:1;function it(t,e,n){return n.map(o=>t+o).filter(o=>o>=0&&o<e)}function Nt({n:t,k:e,depth:n,dilated:o,causal:r,top:s}){let i=[[s]];for(let a=n-1;a>=0;a--){let u=rt(e,U(a,e,o),r),l=new Set(i[0].flatMap(d=>it(d,t,u)));i.unshift([...l].sort((d,c)=>d-c))}return i}function It(t,e,n,o){if(t===1)return 0;if(e===1)return 1/0;if(!n)return Math.ceil((t-1)*(o?1:2)/(e-1));if(!o)return t<=(e+1)/2?1:1/0;let r=0;for(let s=1;s<t;s*=e)r++;return r}function q(t,e,n,o,r){return{convolution:[2*n*t*e*e,1,It(t,n,o,r)],"recurrent layer":[4*t*e*e,t,t],"self-attention":[4*t*t*e+8*t*e*e,1,1]}}function st({kernel:t,depth:e,dilated:n,causal:o}){let r=[e,o?v-1:(v-1)/2];return{k:t,depth:e,dilated:n,causal:o,at:r,n:1024,d:64}}function E(t,e){let n={...t,...e},[o,r]=n.at;return{...n,causal:n.causal||n.k%2===0,at:[Math.min(o,n.depth),r]}}var at=(t,e)=>E(t,{depth:e,at:[e,t.at[1]]});function Dt({k:t,depth:e,dilated:n,causal:o},r,s){let i=[];for(let a=0;a<e;a++){let u=rt(t,U(a,t,n),o);for(let l=0;l<v;l++){let d=a<r&&s[a+1].includes(l);for(let c of it(l,v,u))i.push({layer:a,from:c,to:l,used:d})}}return i}function ct(t){let{k:e,dilated:n,causal:o,at:r,n:s,d:i}=t,[a,u]=r,l=Nt({n:v,k:e,depth:a,dilated:n,causal:o,top:u}),d=Array.from({length:a},(c,f)=>U(f,e,n));return{found:l,dilations:d,width:1+(e-1)*tt(d),links:Dt(t,a,l),costs:q(s,i,e,n,o)}}var lt=`
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
`,dt=248,z=20,Pt=68,pt=()=>[340,600,884];function Rt(t){let e=t<600,n=e?22:84,o=(t-n-(e?0:10))/v,r=Math.min(13,o/2-.6);return{width:t,narrow:e,left:n,r,x:s=>n+(s+.5)*o}}function Ot(t){let e=Math.min(Pt,(dt-2*z)/t);return n=>z+(t-n)*e}function ut(t,e){let{act:n,width:o}=e,r=p(j(t),"svg",{class:"glides"});K(r,o,dt,310);let s=Rt(o),i=Ht(r,s),a=Ft(r,s,n),u=zt(t,e,s);return(l,d)=>{let c=Ot(l.depth);x(r,{viewBox:`0 0 ${o} ${c(0)+z}`}),i(d.links,c),a(l,d.found,c),u(l,d.costs)}}function Ht(t,{x:e,r:n}){let o={stroke:"currentColor","stroke-opacity":.16,"stroke-width":1.2},r={stroke:"var(--value)","stroke-width":3.5,"stroke-linecap":"round"},s=p(t,"path",{fill:"none",...o}),i=p(t,"path",{fill:"none",...r});return(a,u)=>{let l=({layer:c,from:f,to:h})=>`M${e(f)},${u(c)-n}L${e(h)},${u(c+1)+n}`,d=c=>c.map(l).join("")||"M0,0";x(s,{d:d(a)}),x(i,{d:d(a.filter(c=>c.used))})}}function Ft(t,{x:e,r:n,left:o,narrow:r},s){let i=()=>p(t,"text",{class:"e s",x:o-8}),a=Array.from({length:S+1},i),u=(f,h,m)=>{p(f,"circle",{cx:e(m),r:n,class:"unit"}),p(f,"text",{class:r?"m u":"m s",x:e(m)}),p(f,"circle",{cx:e(m),r:n+(r?1:4),class:"ring"})},l=(f,h)=>s(E,{at:[S-f,h]}),c=et(t,"units: choose one",Array(S+1).fill(v),u,l);return(f,h,m)=>{a.forEach((y,g)=>{let b=r?g||"in":g?`layer ${g}`:"inputs";x(y,{y:m(g)+4,...T(g<=f.depth)},b)}),c.forEach((y,g)=>{let b=S-g,$=w=>b<=f.at[0]&&h[b].includes(w);x(y[0].parentNode,{display:b>f.depth?"none":null}),y.forEach((w,A)=>Ut(w,f.at,[b,A],$(A),m(b)))})}}function Ut(t,e,[n,o],r,s){let[i,a,u]=t.children,l=n===e[0]&&o===e[1],d=`${n?`layer ${n}`:"input"}, position ${o}`,[c,f]=l?[" asked",", chosen"]:r?[" hit",", seen"]:["",""];x(t,{tabindex:l?0:-1,"aria-label":d+f}),x(i,{cy:s,class:"unit"+c}),x(a,{y:s+4},o),x(u,{cy:s})}var qt=["one layer","FLOPs","sequential operations","maximum path length"];function zt(t,{act:e,data:n},{narrow:o}){let{kernel:r,dilated:s,causal:i}=n,a=M(t),u=(m,y,g)=>N(a,m,{type:"number",min:1,max:g,step:1},w=>e(E,{[y]:I(Math.round(w.value)||1,1,g)})),l=u("positions n","n",1e6),d=u("width d","d",1e5),c=p(t,"table",{class:o?"narrow":null}),f=p(c,"tr");for(let m of qt)p(f,"th",{scope:"col"},m);let h=Object.keys(q(1,1,r,s,i)).map(m=>{let y=p(c,"tr");return[p(y,"th",{scope:"row"},m),...[0,1,2].map(()=>p(y,"td"))]});return(m,y)=>{C(l,m.n),C(d,m.d),Object.values(y).forEach((g,b)=>{g.forEach(($,w)=>x(h[b][w+1],{},ot($)))}),x(h[0][0],{},`convolution, k = ${m.k}`)}}var Gt=[1,2,3,5,7,9];function Wt(t,e){let{act:n,data:o}=e,r=[...new Set([...Gt,o.kernel])].sort((c,f)=>c-f),s=c=>n(E,{k:Number(c)}),i=Y(t,"kernel",o.kernel,r,s),a=P(t,"layers",{min:1,max:S},c=>n(at,c)),u=O(t),l=R(t,"dilated",c=>n(E,{dilated:c})),d=R(t,"causal",c=>n(E,{causal:c}));return H(t,"Reset",e.reset),c=>{i.value=c.k,C(a,c.depth),x(u,{},c.depth),l.checked=c.dilated,d.checked=c.causal,d.disabled=c.k%2===0}}var jt=()=>"Choose a unit: what it sees lights up. Add layers, and switch the dilation on and off.",ft=Z({begin:st,compute:ct,controls:Wt,draw:ut,explain:nt,style:lt,sizes:pt,hint:jt});J("live-00000000",ft);
