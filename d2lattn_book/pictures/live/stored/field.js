// b6317501feeff4e5c40194ea5521de850b61beaa469fa9aaf51eb0fdd0d0cf2e
var j="http://www.w3.org/2000/svg";var D=t=>t.namespaceURI===j;function x(t,e,n){for(let[o,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(o):t.setAttribute(o,r);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function d(t,e,n={},o){let i=e==="svg"||D(t)?document.createElementNS(j,e):document.createElement(e);return x(i,n,o),t.append(i),i}var T=t=>({visibility:t?null:"hidden"});function K(t){return d(d(t,"div",{class:"scroll"}),"div",{class:"stage"})}function Y(t,e,n,o=450,r=e<884){let s=Math.min(1180,Math.round((r?1/0:o)*e/n)),a=Math.round(.93*e);x(t,{viewBox:`0 0 ${e} ${n}`}),x(t.parentNode,{style:`max-width:${s}px;min-width:${a}px`})}var M=t=>d(t,"div",{class:"bar"});function N(t,e,n,o){let r=d(d(t,"label",{},e),"input",n);return r.addEventListener("input",()=>o(r)),r}var R=(t,e,{step:n=1,...o},r)=>N(t,e,{type:"range",step:n,...o},i=>r(Number(i.value))),P=(t,e,n)=>N(t,e,{type:"checkbox"},o=>n(o.checked));function B(t,e,n,o,r){let i=d(d(t,"label",{},e),"select",{value:n});for(let s of o)d(i,"option",{value:s},s);return i.value=n,i.addEventListener("input",()=>r(i.value)),i}var O=(t,e={})=>d(t,"span",{"aria-hidden":"true",...e});function C(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function H(t,e,n){let o=d(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function _(t){let e=d(t,"p",{"aria-live":"polite"}),n="";return o=>{let r=o.map(i=>i[0]).join("");r!==n&&(n=r,e.replaceChildren(...o.map(i=>gt(...i))),e.offsetHeight&&(e.style.minHeight=`${e.offsetHeight}px`))}}function gt(t,e){let n=document.createElement("span");return n.textContent=t,e&&x(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var yt=220,V=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${yt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;var X=`
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
${V}
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
`;var F=".reveal",bt=["PageUp","PageDown"],wt=/^Arrow[LR]/,kt="[role],[type=range]",J="data-lm-suppress-shortcuts",vt={click:"button, summary",change:"select, [type=checkbox]"};function Q(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||$t(this,e)}};customElements.define(t,n);let o=r=>r.target.localName===t&&Et(r.target,r);addEventListener("keydown",o,{capture:!0})}var Et=(t,e)=>t.toggleAttribute(J,!Z(e)),Z=({key:t,ctrlKey:e,metaKey:n,shiftKey:o})=>t==="Enter"?o||e:t==="s"&&(e||n);function $t(t,e){let n={...JSON.parse(t.dataset.live),deck:!!t.closest(F)},o=t.attachShadow({mode:"open"});d(o,"style",{},X);let r=d(o,"div",{class:"live",role:"group","aria-label":n.title});for(let s in n.roles)r.style.setProperty(`--${s}`,n.roles[s]);e(r,n),x(t,{[J]:"","data-prevent-swipe":""}),Lt(o,t);let i=t.previousElementSibling;i?.classList.contains("live-fallback")&&t.append(i)}function Lt(t,e){let n=!1;t.addEventListener("pointerdown",()=>n=!0),t.addEventListener("keydown",o=>{let r=e.closest(F)&&St(o,n);if(n=!1,!(o.ctrlKey||o.metaKey||o.altKey||o.key==="Tab")){if(Z(o))return U(e);r||o.stopPropagation(),(r||o.key==="Escape")&&U(e)}});for(let[o,r]of Object.entries(vt)){let i=({target:s})=>n&&s.matches(r)&&e.closest(F);t.addEventListener(o,s=>i(s)&&U(e),{capture:!0})}}var St=({key:t,target:e},n)=>bt.includes(t)||n&&wt.test(t)&&e.matches(kt);function U(t){t.shadowRoot.activeElement?.blur(),t.parentElement?.closest("[tabindex]")?.focus()}function tt({prepare:t=a=>a,begin:e,compute:n,controls:o,draw:r,explain:i,...s}){let{style:a,sizes:u=()=>[0],hint:p}=s;return(l,c)=>{let f=t(c),h=u(f);a&&d(l,"style",{},a);let m={data:f,state:e(f),act:G,reset:()=>G(()=>e(f))},y=o(M(l),m),g=_(l),b=d(l,"div",{class:"picture"}),$=null;w(h.at(-1)),p&&Ct(l,p(f));function w(k){m.width=k,b.replaceChildren(),$=r(b,m)}function A(){let{state:k}=m,L=n(k,f);y(k),$(k,L),g(i(k,L,f))}let xt=Mt(A);function G(k,...L){m.state=k(m.state,...L),xt()}A(),At(l,k=>{x(l.querySelector("[aria-live]"),{style:null});let L=h.findLast(ht=>ht<=k)??h[0];L!==m.width&&(w(L),A())})}}function At(t,e){let n=([{contentRect:o}])=>o.width&&e(o.width);new ResizeObserver(n).observe(t)}function Ct(t,e){let n=d(t,"p",{class:"hint"},e);for(let o of["pointerdown","keydown","input"]){let r=i=>i.key!=="Tab"&&x(n,{class:"hint gone"});t.addEventListener(o,r)}}function Mt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var I=(t,e,n)=>Math.max(e,Math.min(n,t)),et=t=>t.reduce((e,n)=>e+n,0);var Nt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function nt(t,e,n,o,r){let i=D(t)?"g":"div",s=d(t,i,{role:"grid","aria-label":e}),a=n.map((p,l)=>{let c=d(s,i,{role:"row"});return Array.from({length:p},(f,h)=>{let m=d(c,i,{role:"gridcell",tabindex:l+h?-1:0});return m.at=[l,h],o(m,l,h),m})});return It(s,a,p=>{for(let l of a.flat())x(l,{tabindex:l.at===p?0:-1});r(...p)}),a}function It(t,e,n){let o=s=>s.target.closest("[role=gridcell]")?.at,r=(s,a)=>a[I(s,0,a.length-1)],i=(s,a)=>{let u=r(a,r(s,e));u.focus(),n(u.at)};t.getRootNode().addEventListener("focusin",s=>{t.contains(s.target)&&n(o(s))}),t.addEventListener("click",s=>o(s)&&i(...o(s))),t.addEventListener("keydown",s=>{let a=Nt[s.key];if(!a||s.shiftKey)return;s.preventDefault();let[u,p]=o(s);i(u+a[0],p+a[1])})}function ot({k:t,at:[e,n]},{found:o,dilations:r,width:i}){if(!e)return[[`Input ${n} sees itself. Choose a unit above it.`]];let s=o[0].length,a=e>1?`(${r.join(" + ")})`:r[0],u=`Its receptive field is 1 + (${t} − 1) · ${a} = ${i} positions wide`,p=s<i?"; not all of them are taps inside the row":"";return[[`Unit ${n} of layer ${e}`,"output"],[" sees "],[`${s} input${s>1?"s":""}`,"value"],[`. ${u}${p}.`]]}function rt(t){if(t===1/0)return"never";if(t<1e6)return String(t).replace(/(?=(\d{3})+$)(?!^)/g," ");let e=Math.floor(Math.log10(t)+1e-12),n=[...String(e)].map(o=>"⁰¹²³⁴⁵⁶⁷⁸⁹"[o]).join("");return`${(t/10**e).toFixed(1)} × 10${n}`}var v=17,S=5;function it(t,e,n){let o=n?1-t:-(t-1)/2;return Array.from({length:t},(r,i)=>(o+i)*e)}var q=(t,e,n)=>n?e**t:1;function st(t,e,n){return n.map(o=>t+o).filter(o=>o>=0&&o<e)}function Dt({n:t,k:e,depth:n,dilated:o,causal:r,top:i}){let s=[[i]];for(let a=n-1;a>=0;a--){let u=it(e,q(a,e,o),r),p=new Set(s[0].flatMap(l=>st(l,t,u)));s.unshift([...p].sort((l,c)=>l-c))}return s}function Tt(t,e,n,o){if(t===1)return 0;if(e===1)return 1/0;if(!n)return Math.ceil((t-1)*(o?1:2)/(e-1));if(!o)return t<=(e+1)/2?1:1/0;let r=0;for(let i=1;i<t;i*=e)r++;return r}function z(t,e,n,o,r){return{convolution:[2*n*t*e*e,1,Tt(t,n,o,r)],"recurrent layer":[4*t*e*e,t,t],"self-attention":[4*t*t*e+8*t*e*e,1,1]}}function at({kernel:t,depth:e,dilated:n,causal:o}){let r=[e,o?v-1:(v-1)/2];return{k:t,depth:e,dilated:n,causal:o,at:r,n:1024,d:64}}function E(t,e){let n={...t,...e},[o,r]=n.at;return{...n,causal:n.causal||n.k%2===0,at:[Math.min(o,n.depth),r]}}var ct=(t,e)=>E(t,{depth:e,at:[e,t.at[1]]});function Rt({k:t,depth:e,dilated:n,causal:o},r,i){let s=[];for(let a=0;a<e;a++){let u=it(t,q(a,t,n),o);for(let p=0;p<v;p++){let l=a<r&&i[a+1].includes(p);for(let c of st(p,v,u))s.push({layer:a,from:c,to:p,used:l})}}return s}function lt(t){let{k:e,dilated:n,causal:o,at:r,n:i,d:s}=t,[a,u]=r,p=Dt({n:v,k:e,depth:a,dilated:n,causal:o,top:u}),l=Array.from({length:a},(c,f)=>q(f,e,n));return{found:p,dilations:l,width:1+(e-1)*et(l),links:Rt(t,a,p),costs:z(i,s,e,n,o)}}var dt=`
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
`,pt=248,W=20,Ot=68,ut=()=>[340,600,884];function Ht(t){let e=t<600,n=e?22:84,o=(t-n-(e?0:10))/v,r=Math.min(13,o/2-.6);return{width:t,narrow:e,left:n,r,x:i=>n+(i+.5)*o}}function Ut(t){let e=Math.min(Ot,(pt-2*W)/t);return n=>W+(t-n)*e}function ft(t,e){let{act:n,width:o}=e,r=d(K(t),"svg",{class:"glides"});Y(r,o,pt,310);let i=Ht(o),s=Ft(r,i),a=qt(r,i,n),u=Gt(t,e,i);return(p,l)=>{let c=Ut(p.depth);x(r,{viewBox:`0 0 ${o} ${c(0)+W}`}),s(l.links,c),a(p,l.found,c),u(p,l.costs)}}function Ft(t,{x:e,r:n}){let o={stroke:"currentColor","stroke-opacity":.16,"stroke-width":1.2},r={stroke:"var(--value)","stroke-width":3.5,"stroke-linecap":"round"},i=d(t,"path",{fill:"none",...o}),s=d(t,"path",{fill:"none",...r});return(a,u)=>{let p=({layer:c,from:f,to:h})=>`M${e(f)},${u(c)-n}L${e(h)},${u(c+1)+n}`,l=c=>c.map(p).join("")||"M0,0";x(i,{d:l(a)}),x(s,{d:l(a.filter(c=>c.used))})}}function qt(t,{x:e,r:n,left:o,narrow:r},i){let s=()=>d(t,"text",{class:"e s",x:o-8}),a=Array.from({length:S+1},s),u=(f,h,m)=>{d(f,"circle",{cx:e(m),r:n,class:"unit"}),d(f,"text",{class:r?"m u":"m s",x:e(m)}),d(f,"circle",{cx:e(m),r:n+(r?1:4),class:"ring"})},p=(f,h)=>i(E,{at:[S-f,h]}),c=nt(t,"units: choose one",Array(S+1).fill(v),u,p);return(f,h,m)=>{a.forEach((y,g)=>{let b=r?g||"in":g?`layer ${g}`:"inputs";x(y,{y:m(g)+4,...T(g<=f.depth)},b)}),c.forEach((y,g)=>{let b=S-g,$=w=>b<=f.at[0]&&h[b].includes(w);x(y[0].parentNode,{display:b>f.depth?"none":null}),y.forEach((w,A)=>zt(w,f.at,[b,A],$(A),m(b)))})}}function zt(t,e,[n,o],r,i){let[s,a,u]=t.children,p=n===e[0]&&o===e[1],l=`${n?`layer ${n}`:"input"}, position ${o}`,[c,f]=p?[" asked",", chosen"]:r?[" hit",", seen"]:["",""];x(t,{tabindex:p?0:-1,"aria-label":l+f}),x(s,{cy:i,class:"unit"+c}),x(a,{y:i+4},o),x(u,{cy:i})}var Wt=["one layer","FLOPs","sequential operations","maximum path length"];function Gt(t,{act:e,data:n},{narrow:o}){let{kernel:r,dilated:i,causal:s}=n,a=M(t),u=(m,y,g)=>N(a,m,{type:"number",min:1,max:g,step:1},w=>e(E,{[y]:I(Math.round(w.value)||1,1,g)})),p=u("positions n","n",1e6),l=u("width d","d",1e5),c=d(t,"table",{class:o?"narrow":null}),f=d(c,"tr");for(let m of Wt)d(f,"th",{scope:"col"},m);let h=Object.keys(z(1,1,r,i,s)).map(m=>{let y=d(c,"tr");return[d(y,"th",{scope:"row"},m),...[0,1,2].map(()=>d(y,"td"))]});return(m,y)=>{C(p,m.n),C(l,m.d),Object.values(y).forEach((g,b)=>{g.forEach(($,w)=>x(h[b][w+1],{},rt($)))}),x(h[0][0],{},`convolution, k = ${m.k}`)}}var jt=[1,2,3,5,7,9];function Kt(t,e){let{act:n,data:o}=e,r=[...new Set([...jt,o.kernel])].sort((c,f)=>c-f),i=c=>n(E,{k:Number(c)}),s=B(t,"kernel",o.kernel,r,i),a=R(t,"layers",{min:1,max:S},c=>n(ct,c)),u=O(t),p=P(t,"dilated",c=>n(E,{dilated:c})),l=P(t,"causal",c=>n(E,{causal:c}));return H(t,"Reset",e.reset),c=>{s.value=c.k,C(a,c.depth),x(u,{},c.depth),p.checked=c.dilated,l.checked=c.causal,l.disabled=c.k%2===0}}var Yt=()=>"Choose a unit: what it sees lights up. Add layers, and switch the dilation on and off.",mt=tt({begin:at,compute:lt,controls:Kt,draw:ft,explain:ot,style:dt,sizes:ut,hint:Yt});Q("live-00000000",mt);
