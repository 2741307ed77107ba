// 6f74d3bfbd84e856861ed000b1610340e054f6c11875ebc4d99c0ed07aa41b98
var F="http://www.w3.org/2000/svg";var C=t=>t.namespaceURI===F;function h(t,e,n){for(let[o,s]of Object.entries(e))s===null||s===!1?t.removeAttribute(o):t.setAttribute(o,s);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function u(t,e,n={},o){let c=e==="svg"||C(t)?document.createElementNS(F,e):document.createElement(e);return h(c,n,o),t.append(c),c}var I=t=>({visibility:t?null:"hidden"});function K(t){return u(u(t,"div",{class:"scroll"}),"div",{class:"stage"})}function U(t,e,n,o=450){let s=Math.min(1180,Math.round(o*e/n)),c=Math.round(.7*e);h(t,{viewBox:`0 0 ${e} ${n}`}),h(t.parentNode,{style:`max-width:${s}px;min-width:${c}px`})}var Y=`
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
`;function W(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||it(this,e)}};customElements.define(t,n)}function it(t,e){let n=JSON.parse(t.dataset.live),o=t.attachShadow({mode:"open"});u(o,"style",{},Y);let s=u(o,"div",{class:"live",role:"group","aria-label":n.title});for(let r in n.roles)s.style.setProperty(`--${r}`,n.roles[r]);e(s,n),h(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),o.addEventListener("keydown",r=>ct(r,t));let c=t.previousElementSibling;c?.classList.contains("live-fallback")&&t.append(c)}function ct(t,e){t.ctrlKey||t.metaKey||t.altKey||t.key==="Tab"||(t.stopPropagation(),t.key==="Escape"&&(e.shadowRoot.activeElement?.blur(),e.parentElement?.closest("[tabindex]")?.focus()))}var N=t=>u(t,"div",{class:"bar"});function $(t,e,n,o,s){let c=u(t,"label",{},e),r=u(c,s?"select":"input",n);for(let i of s??[])u(r,"option",{value:i},i);return s&&(r.value=n.value),r.addEventListener("input",()=>o(r)),r}var j=(t,e={})=>u(t,"span",{"aria-hidden":"true",...e});function L(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function G(t,e,n){let o=u(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function _(t){let e=u(t,"p",{"aria-live":"polite"}),n="";return o=>{let s=o.map(c=>c[0]).join("");s!==n&&(n=s,e.replaceChildren(...o.map(c=>at(...c))))}}function at(t,e){let n=document.createElement("span");return n.textContent=t,e&&h(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}function q({prepare:t=i=>i,begin:e,compute:n,controls:o,draw:s,explain:c,style:r}){return(i,l)=>{let a=t(l);r&&u(i,"style",{},r);let p={data:a,state:e(a),act:E,reset:()=>E(()=>e(a))},{update:m,number:d}=o(i,p),x=_(i),g=s(i,p,d);function f(){let{state:v}=p,S=n(v,a);m(v,S),g(v,S),x(c(v,S,a))}let b=lt(f);function E(v,...S){p.state=v(p.state,...S),b()}f()}}function lt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var A=(t,e,n)=>Math.max(e,Math.min(n,t)),B=t=>t.reduce((e,n)=>e+n,0);var pt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function V(t,e,n,o,s){let c=C(t)?"g":"div",r=u(t,c,{role:"grid","aria-label":e}),i=n.map((a,p)=>{let m=u(r,c,{role:"row"});return Array.from({length:a},(d,x)=>{let g=u(m,c,{role:"gridcell",tabindex:p+x?-1:0});return g.at=[p,x],o(g,p,x),g})});return ut(r,i,a=>{for(let p of i.flat())h(p,{tabindex:p.at===a?0:-1});s(...a)}),i}function ut(t,e,n){let o=r=>r.target.closest("[role=gridcell]")?.at,s=(r,i)=>i[A(r,0,i.length-1)],c=(r,i)=>{let l=s(i,s(r,e));l.focus(),n(l.at)};t.getRootNode().addEventListener("focusin",r=>{t.contains(r.target)&&n(o(r))}),t.addEventListener("click",r=>o(r)&&c(...o(r))),t.addEventListener("keydown",r=>{let i=pt[r.key];if(!i||r.shiftKey)return;r.preventDefault();let[l,a]=o(r);c(l+i[0],a+i[1])})}function X({k:t,at:[e,n]},{found:o,dilations:s,width:c}){if(!e)return[[`Input ${n+1} sees itself. Choose a unit above it.`]];let r=o[0].length,i=e>1?`(${s.join(" + ")})`:s[0],l=`Its receptive field is 1 + (${t} − 1) · ${i} = ${c} positions wide`,a=r<c?"; not all of them are taps inside the row":"";return[[`Unit ${n+1} of layer ${e}`,"output"],[" sees "],[`${r} input${r>1?"s":""}`,"value"],[`. ${l}${a}.`]]}function J(t){if(t===1/0)return"never";if(t<1e6)return String(t).replace(/(?=(\d{3})+$)(?!^)/g," ");let e=Math.floor(Math.log10(t)+1e-12),n=[...String(e)].map(o=>"⁰¹²³⁴⁵⁶⁷⁸⁹"[o]).join("");return`${(t/10**e).toFixed(1)} × 10${n}`}var y=17,w=5;function z(t,e,n){let o=n?1-t:-(t-1)/2;return Array.from({length:t},(s,c)=>(o+c)*e)}var R=(t,e,n)=>n?e**t:1;function Q(t,e,n){return n.map(o=>t+o).filter(o=>o>=0&&o<e)}function dt({n:t,k:e,depth:n,dilated:o,causal:s,top:c}){let r=[[c]];for(let i=n-1;i>=0;i--){let l=z(e,R(i,e,o),s),a=new Set(r[0].flatMap(p=>Q(p,t,l)));r.unshift([...a].sort((p,m)=>p-m))}return r}function ft(t,e,n,o){if(t===1)return 0;if(e===1)return 1/0;if(!n)return Math.ceil((t-1)*(o?1:2)/(e-1));if(!o)return t<=(e+1)/2?1:1/0;let s=0;for(let c=1;c<t;c*=e)s++;return s}function D(t,e,n,o,s){return{convolution:[2*n*t*e*e,1,ft(t,n,o,s)],"recurrent layer":[4*t*e*e,t,t],"self-attention":[4*t*t*e+8*t*e*e,1,1]}}function Z({kernel:t,depth:e,dilated:n,causal:o}){let s=[e,o?y-1:(y-1)/2];return{k:t,depth:e,dilated:n,causal:o,at:s,n:1024,d:64}}function k(t,e){let n={...t,...e},[o,s]=n.at;return{...n,causal:n.causal||n.k%2===0,at:[Math.min(o,n.depth),s]}}var tt=(t,e)=>k(t,{depth:e,at:[e,t.at[1]]});function mt({k:t,depth:e,dilated:n,causal:o},s,c){let r=[];for(let i=0;i<e;i++){let l=z(t,R(i,t,n),o);for(let a=0;a<y;a++){let p=i<s&&c[i+1].includes(a);for(let m of Q(a,y,l))r.push({layer:i,from:m,to:a,used:p})}}return r}function et(t){let{k:e,dilated:n,causal:o,at:s,n:c,d:r}=t,[i,l]=s,a=dt({n:y,k:e,depth:i,dilated:n,causal:o,top:l}),p=Array.from({length:i},(m,d)=>R(d,e,n));return{found:a,dilations:p,width:1+(e-1)*B(p),links:mt(t,i,a),costs:D(c,r,e,n,o)}}var nt=`
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
`,O=884,ot=248,P=84,xt=(O-P-10)/y,T=13,H=20,ht=68,M=t=>P+(t+.5)*xt;function gt(t){let e=Math.min(ht,(ot-2*H)/t);return n=>H+(t-n)*e}function rt(t,{act:e,data:n}){let o=u(K(t),"svg");U(o,O,ot,310);let s=bt(o),c=yt(o,e),r=Et(t,e,n);return(i,l)=>{let a=gt(i.depth);h(o,{viewBox:`0 0 ${O} ${a(0)+H}`}),s(l.links,a),c(i,l.found,a),r(i,l.costs)}}function bt(t){let e={stroke:"currentColor","stroke-opacity":.16,"stroke-width":1.2},n={stroke:"var(--value)","stroke-width":3.5,"stroke-linecap":"round"},o=u(t,"path",{fill:"none",...e}),s=u(t,"path",{fill:"none",...n});return(c,r)=>{let i=({layer:a,from:p,to:m})=>`M${M(p)},${r(a)-T}L${M(m)},${r(a+1)+T}`,l=a=>a.map(i).join("")||"M0,0";h(o,{d:l(c)}),h(s,{d:l(c.filter(a=>a.used))})}}function yt(t,e){let n=()=>u(t,"text",{class:"e s",x:P-8}),o=Array.from({length:w+1},n),s=(l,a,p)=>{u(l,"circle",{cx:M(p),r:T,class:"unit"}),u(l,"text",{class:"m s",x:M(p)}),u(l,"circle",{cx:M(p),r:T+4,class:"ring"})},c=(l,a)=>e(k,{at:[w-l,a]}),i=V(t,"units: which one is asked about?",Array(w+1).fill(y),s,c);return(l,a,p)=>{o.forEach((m,d)=>{let x=d?`layer ${d}`:"inputs";h(m,{y:p(d)+4,...I(d<=l.depth)},x)}),i.forEach((m,d)=>{let x=w-d,g=f=>x<=l.at[0]&&a[x].includes(f);h(m[0].parentNode,{display:x>l.depth?"none":null}),m.forEach((f,b)=>wt(f,l.at,[x,b],g(b),p(x)))})}}function wt(t,e,[n,o],s,c){let[r,i,l]=t.children,a=n===e[0]&&o===e[1],p=`${n?`layer ${n}`:"input"}, position ${o+1}`,[m,d]=a?[" asked",", asked about"]:s?[" hit",", seen"]:["",""];h(t,{tabindex:a?0:-1,"aria-label":p+d}),h(r,{cy:c,class:"unit"+m}),h(i,{y:c+4},o+1),h(l,{cy:c})}var kt=["one layer","FLOPs","one after another","longest path"];function Et(t,e,{kernel:n,dilated:o,causal:s}){let c=N(t),r=(d,x,g)=>$(c,d,{type:"number",min:1,max:g,step:1},E=>e(k,{[x]:A(Math.round(E.value)||1,1,g)})),i=r("positions n","n",1e6),l=r("width d","d",1e5),a=u(t,"table"),p=u(a,"tr");for(let d of kt)u(p,"th",{scope:"col"},d);let m=Object.keys(D(1,1,n,o,s)).map(d=>{let x=u(a,"tr");return[u(x,"th",{scope:"row"},d),...[0,1,2].map(()=>u(x,"td"))]});return(d,x)=>{L(i,d.n),L(l,d.d),Object.values(x).forEach((g,f)=>{g.forEach((b,E)=>h(m[f][E+1],{},J(b)))}),h(m[0][0],{},`convolution, k = ${d.k}`)}}var vt=[1,2,3,5,7,9];function $t(t,e){let{act:n,data:o}=e,s=N(t),c=[...new Set([...vt,o.kernel])].sort((f,b)=>f-b),r=f=>n(k,{k:Number(f.value)}),i=$(s,"kernel",{value:o.kernel},r,c),a=$(s,"layers",{type:"range",min:1,max:w,step:1},f=>n(tt,Number(f.value))),p=j(s),m=f=>$(s,f,{type:"checkbox"},b=>n(k,{[f]:b.checked})),d=m("dilated"),x=m("causal");G(s,"Reset",e.reset);function g(f){i.value=f.k,L(a,f.depth),h(p,{},f.depth),d.checked=f.dilated,x.checked=f.causal,x.disabled=f.k%2===0}return{update:g}}var st=q({begin:Z,compute:et,controls:$t,draw:rt,explain:X,style:nt});W("live-00000000",st);
