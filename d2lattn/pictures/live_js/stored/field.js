// 9bbd791cfd2f7459cf10a37873b71d487f6177469b79fc897411a111e7f3ccc5
var P="http://www.w3.org/2000/svg";var T=t=>t.namespaceURI===P;function h(t,e,n){for(let[o,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(o):t.setAttribute(o,r);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function u(t,e,n={},o){let s=e==="svg"||T(t)?document.createElementNS(P,e):document.createElement(e);return h(s,n,o),t.append(s),s}var C=t=>({visibility:t?null:"hidden"});function F(t){return u(u(t,"div",{class:"scroll"}),"div",{class:"stage"})}function K(t,e,n,o=450){let r=Math.min(1180,Math.round(o*e/n)),s=Math.round(.7*e);h(t,{viewBox:`0 0 ${e} ${n}`}),h(t.parentNode,{style:`max-width:${r}px;min-width:${s}px`})}var U=`
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
canvas { display: block; image-rendering: pixelated; }
.scroll { overflow-x: auto; padding: 3px; margin: -3px; }
.stage, .stage svg { position: relative; }
.stage canvas { position: absolute; }
@media print {
  :host { break-inside: avoid; }
  .bar { display: none; }
  .scroll { overflow: visible; }
  .stage { min-width: 0 !important; }
}
`;function Y(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||it(this,e)}};customElements.define(t,n)}function it(t,e){let n=JSON.parse(t.dataset.live),o=t.attachShadow({mode:"open"});u(o,"style",{},U);let r=u(o,"div",{class:"live",role:"group","aria-label":n.title});for(let i in n.roles)r.style.setProperty(`--${i}`,n.roles[i]);e(r,n),h(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),o.addEventListener("keydown",i=>ct(i,t));let s=t.previousElementSibling;s?.classList.contains("live-fallback")&&t.append(s)}function ct(t,e){t.ctrlKey||t.metaKey||t.altKey||t.key==="Tab"||(t.stopPropagation(),t.key==="Escape"&&(e.shadowRoot.activeElement?.blur(),e.parentElement?.closest("[tabindex]")?.focus()))}var M=t=>u(t,"div",{class:"bar"});function v(t,e,n,o){let r=u(u(t,"label",{},e),"input",n);return r.addEventListener("input",()=>o(r)),r}function W(t,e,n,o,r){let s=u(u(t,"label",{},e),"select",{value:n});for(let i of o)u(s,"option",{value:i},i);return s.value=n,s.addEventListener("input",()=>r(s.value)),s}var j=(t,e={})=>u(t,"span",{"aria-hidden":"true",...e});function $(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function G(t,e,n){let o=u(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function _(t){let e=u(t,"p",{"aria-live":"polite"}),n="";return o=>{let r=o.map(s=>s[0]).join("");r!==n&&(n=r,e.replaceChildren(...o.map(s=>at(...s))))}}function at(t,e){let n=document.createElement("span");return n.textContent=t,e&&h(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}function q({prepare:t=c=>c,begin:e,compute:n,controls:o,draw:r,explain:s,style:i}){return(c,l)=>{let a=t(l);i&&u(c,"style",{},i);let p={data:a,state:e(a),act:b,reset:()=>b(()=>e(a))},f=o(c,p),d=_(c),x=r(c,p,f.number);function g(){let{state:y}=p,S=n(y,a);f.update(y),x(y,S),d(s(y,S,a))}let m=lt(g);function b(y,...S){p.state=y(p.state,...S),m()}g()}}function lt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var N=(t,e,n)=>Math.max(e,Math.min(n,t)),B=t=>t.reduce((e,n)=>e+n,0);var pt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function V(t,e,n,o,r){let s=T(t)?"g":"div",i=u(t,s,{role:"grid","aria-label":e}),c=n.map((a,p)=>{let f=u(i,s,{role:"row"});return Array.from({length:a},(d,x)=>{let g=u(f,s,{role:"gridcell",tabindex:p+x?-1:0});return g.at=[p,x],o(g,p,x),g})});return ut(i,c,a=>{for(let p of c.flat())h(p,{tabindex:p.at===a?0:-1});r(...a)}),c}function ut(t,e,n){let o=i=>i.target.closest("[role=gridcell]")?.at,r=(i,c)=>c[N(i,0,c.length-1)],s=(i,c)=>{let l=r(c,r(i,e));l.focus(),n(l.at)};t.getRootNode().addEventListener("focusin",i=>{t.contains(i.target)&&n(o(i))}),t.addEventListener("click",i=>o(i)&&s(...o(i))),t.addEventListener("keydown",i=>{let c=pt[i.key];if(!c||i.shiftKey)return;i.preventDefault();let[l,a]=o(i);s(l+c[0],a+c[1])})}function X({k:t,at:[e,n]},{found:o,dilations:r,width:s}){if(!e)return[[`Input ${n} sees itself. Choose a unit above it.`]];let i=o[0].length,c=e>1?`(${r.join(" + ")})`:r[0],l=`Its receptive field is 1 + (${t} − 1) · ${c} = ${s} positions wide`,a=i<s?"; not all of them are taps inside the row":"";return[[`Unit ${n} of layer ${e}`,"output"],[" sees "],[`${i} input${i>1?"s":""}`,"value"],[`. ${l}${a}.`]]}function J(t){if(t===1/0)return"never";if(t<1e6)return String(t).replace(/(?=(\d{3})+$)(?!^)/g," ");let e=Math.floor(Math.log10(t)+1e-12),n=[...String(e)].map(o=>"⁰¹²³⁴⁵⁶⁷⁸⁹"[o]).join("");return`${(t/10**e).toFixed(1)} × 10${n}`}var k=17,w=5;function z(t,e,n){let o=n?1-t:-(t-1)/2;return Array.from({length:t},(r,s)=>(o+s)*e)}var I=(t,e,n)=>n?e**t:1;function Q(t,e,n){return n.map(o=>t+o).filter(o=>o>=0&&o<e)}function dt({n:t,k:e,depth:n,dilated:o,causal:r,top:s}){let i=[[s]];for(let c=n-1;c>=0;c--){let l=z(e,I(c,e,o),r),a=new Set(i[0].flatMap(p=>Q(p,t,l)));i.unshift([...a].sort((p,f)=>p-f))}return i}function ft(t,e,n,o){if(t===1)return 0;if(e===1)return 1/0;if(!n)return Math.ceil((t-1)*(o?1:2)/(e-1));if(!o)return t<=(e+1)/2?1:1/0;let r=0;for(let s=1;s<t;s*=e)r++;return r}function R(t,e,n,o,r){return{convolution:[2*n*t*e*e,1,ft(t,n,o,r)],"recurrent layer":[4*t*e*e,t,t],"self-attention":[4*t*t*e+8*t*e*e,1,1]}}function Z({kernel:t,depth:e,dilated:n,causal:o}){let r=[e,o?k-1:(k-1)/2];return{k:t,depth:e,dilated:n,causal:o,at:r,n:1024,d:64}}function E(t,e){let n={...t,...e},[o,r]=n.at;return{...n,causal:n.causal||n.k%2===0,at:[Math.min(o,n.depth),r]}}var tt=(t,e)=>E(t,{depth:e,at:[e,t.at[1]]});function mt({k:t,depth:e,dilated:n,causal:o},r,s){let i=[];for(let c=0;c<e;c++){let l=z(t,I(c,t,n),o);for(let a=0;a<k;a++){let p=c<r&&s[c+1].includes(a);for(let f of Q(a,k,l))i.push({layer:c,from:f,to:a,used:p})}}return i}function et(t){let{k:e,dilated:n,causal:o,at:r,n:s,d:i}=t,[c,l]=r,a=dt({n:k,k:e,depth:c,dilated:n,causal:o,top:l}),p=Array.from({length:c},(f,d)=>I(d,e,n));return{found:a,dilations:p,width:1+(e-1)*B(p),links:mt(t,c,a),costs:R(s,i,e,n,o)}}var nt=`
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
`,D=884,ot=248,H=84,xt=(D-H-10)/k,A=13,O=20,ht=68,L=t=>H+(t+.5)*xt;function gt(t){let e=Math.min(ht,(ot-2*O)/t);return n=>O+(t-n)*e}function rt(t,{act:e,data:n}){let o=u(F(t),"svg");K(o,D,ot,310);let r=bt(o),s=yt(o,e),i=Et(t,e,n);return(c,l)=>{let a=gt(c.depth);h(o,{viewBox:`0 0 ${D} ${a(0)+O}`}),r(l.links,a),s(c,l.found,a),i(c,l.costs)}}function bt(t){let e={stroke:"currentColor","stroke-opacity":.16,"stroke-width":1.2},n={stroke:"var(--value)","stroke-width":3.5,"stroke-linecap":"round"},o=u(t,"path",{fill:"none",...e}),r=u(t,"path",{fill:"none",...n});return(s,i)=>{let c=({layer:a,from:p,to:f})=>`M${L(p)},${i(a)-A}L${L(f)},${i(a+1)+A}`,l=a=>a.map(c).join("")||"M0,0";h(o,{d:l(s)}),h(r,{d:l(s.filter(a=>a.used))})}}function yt(t,e){let n=()=>u(t,"text",{class:"e s",x:H-8}),o=Array.from({length:w+1},n),r=(l,a,p)=>{u(l,"circle",{cx:L(p),r:A,class:"unit"}),u(l,"text",{class:"m s",x:L(p)}),u(l,"circle",{cx:L(p),r:A+4,class:"ring"})},s=(l,a)=>e(E,{at:[w-l,a]}),c=V(t,"units: which one is asked about?",Array(w+1).fill(k),r,s);return(l,a,p)=>{o.forEach((f,d)=>{let x=d?`layer ${d}`:"inputs";h(f,{y:p(d)+4,...C(d<=l.depth)},x)}),c.forEach((f,d)=>{let x=w-d,g=m=>x<=l.at[0]&&a[x].includes(m);h(f[0].parentNode,{display:x>l.depth?"none":null}),f.forEach((m,b)=>kt(m,l.at,[x,b],g(b),p(x)))})}}function kt(t,e,[n,o],r,s){let[i,c,l]=t.children,a=n===e[0]&&o===e[1],p=`${n?`layer ${n}`:"input"}, position ${o}`,[f,d]=a?[" asked",", asked about"]:r?[" hit",", seen"]:["",""];h(t,{tabindex:a?0:-1,"aria-label":p+d}),h(i,{cy:s,class:"unit"+f}),h(c,{y:s+4},o),h(l,{cy:s})}var wt=["one layer","FLOPs","one after another","longest path"];function Et(t,e,{kernel:n,dilated:o,causal:r}){let s=M(t),i=(d,x,g)=>v(s,d,{type:"number",min:1,max:g,step:1},y=>e(E,{[x]:N(Math.round(y.value)||1,1,g)})),c=i("positions n","n",1e6),l=i("width d","d",1e5),a=u(t,"table"),p=u(a,"tr");for(let d of wt)u(p,"th",{scope:"col"},d);let f=Object.keys(R(1,1,n,o,r)).map(d=>{let x=u(a,"tr");return[u(x,"th",{scope:"row"},d),...[0,1,2].map(()=>u(x,"td"))]});return(d,x)=>{$(c,d.n),$(l,d.d),Object.values(x).forEach((g,m)=>{g.forEach((b,y)=>h(f[m][y+1],{},J(b)))}),h(f[0][0],{},`convolution, k = ${d.k}`)}}var vt=[1,2,3,5,7,9];function $t(t,e){let{act:n,data:o}=e,r=M(t),s=[...new Set([...vt,o.kernel])].sort((m,b)=>m-b),i=m=>n(E,{k:Number(m)}),c=W(r,"kernel",o.kernel,s,i),a=v(r,"layers",{type:"range",min:1,max:w,step:1},m=>n(tt,Number(m.value))),p=j(r),f=m=>v(r,m,{type:"checkbox"},b=>n(E,{[m]:b.checked})),d=f("dilated"),x=f("causal");G(r,"Reset",e.reset);function g(m){c.value=m.k,$(a,m.depth),h(p,{},m.depth),d.checked=m.dilated,x.checked=m.causal,x.disabled=m.k%2===0}return{update:g}}var st=q({begin:Z,compute:et,controls:$t,draw:rt,explain:X,style:nt});Y("live-00000000",st);
