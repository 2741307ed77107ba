// 4b044a95c9dc4a88250ab85ccd773efbbe467887c4f5bf5da37623340a2a647e
var G="http://www.w3.org/2000/svg";var P=t=>t.namespaceURI===G;function m(t,e,o){for(let[n,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(n):t.setAttribute(n,r);return o!==void 0&&t.textContent!==String(o)&&(t.textContent=o),t}function c(t,e,o={},n){let a=e==="svg"||P(t)?document.createElementNS(G,e):document.createElement(e);return m(a,o,n),t.append(a),a}var K=t=>c(t,"div",{class:"bar"});function wt(t,e,o,n){let r=c(c(t,"label",{},e),"input",o);return r.addEventListener("input",()=>n(r)),r}var B=(t,e,{step:o=1,...n},r)=>wt(t,e,{type:"range",step:o,...n},a=>r(Number(a.value)));var F=(t,e={})=>c(t,"span",{"aria-hidden":"true",...e});function U(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function M(t,e,o){let n=c(t,"button",{type:"button"},e);return n.addEventListener("click",o),n}function Y(t){let e=c(t,"p",{"aria-live":"polite"}),o="";return n=>{let r=n.map(a=>a[0]).join("");r!==o&&(o=r,e.replaceChildren(...n.map(a=>yt(...a))),e.offsetHeight&&(e.style.minHeight=`${e.offsetHeight}px`))}}function yt(t,e){let o=document.createElement("span");return o.textContent=t,e&&m(o,{class:"role",style:`text-decoration-color: var(--${e})`}),o}var bt=220,X=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${bt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function kt(t,e,{name:o="Play",every:n=400,...r}){let{next:a,rewind:i,ended:l,held:p=()=>!1}=r,u=0,s=M(t,`▶ ${o}`,()=>u?d():x());function d(){clearInterval(u),u=0,V(t,!1),m(s,{},`▶ ${o}`)}function f(){if(!s.isConnected)return d();l(a(e.state))&&d(),e.act(a)}function x(){l(e.state)&&e.act(i),u=setInterval(f,n),V(t,n<=1e3),m(s,{},"❚❚ Pause"),p(e.state)||f()}for(let h of["input","click"])t.addEventListener(h,y=>u&&y.target!==s&&d())}var V=(t,e)=>m(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});function J(t,e,{name:o,first:n=0,last:r,every:a,at:i,go:l,names:p}){let{act:u,data:s}=e,d=g=>u(l,g,s);kt(t,e,{every:a,next:g=>l(g,i(g)+1,s),rewind:g=>l(g,n,s),ended:g=>i(g)===r,held:g=>!!p&&i(g)===n});let f=(g,w)=>M(t,g,()=>d(i(e.state)+w)),x=!p&&f("◀ back",-1),h=!p&&f("forward ▶",1),y=B(t,o,{min:n,max:r,style:p?"width:240px":null},d),S=p&&F(t,{class:"b"});return g=>{let w=i(g);U(y,w),p?(m(y,{"aria-valuetext":p[w]}),m(S,{},p[w])):(m(x,{"aria-disabled":w===n}),m(h,{"aria-disabled":w===r}))}}var Q=`
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
${X}
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
`;var O=".reveal",vt=["PageUp","PageDown"],$t=/^Arrow[LR]/,Et="[role],[type=range]",Z="data-lm-suppress-shortcuts",Lt={click:"button, summary",change:"select, [type=checkbox]"};function z(t,e){if(customElements.get(t))return;let o=class extends HTMLElement{connectedCallback(){this.shadowRoot||At(this,e)}};customElements.define(t,o);let n=r=>r.target.localName===t&&St(r.target,r);addEventListener("keydown",n,{capture:!0})}var St=(t,e)=>t.toggleAttribute(Z,!j(e)),j=({key:t,ctrlKey:e,metaKey:o,shiftKey:n})=>t==="Enter"?n||e:t==="s"&&(e||o);function At(t,e){let o={...JSON.parse(t.dataset.live),deck:!!t.closest(O)},n=t.attachShadow({mode:"open"});c(n,"style",{},Q);let r=c(n,"div",{class:"live",role:"group","aria-label":o.title});for(let i in o.roles)r.style.setProperty(`--${i}`,o.roles[i]);e(r,o),m(t,{[Z]:"","data-prevent-swipe":""}),Ct(n,t);let a=t.previousElementSibling;a?.classList.contains("live-fallback")&&t.append(a)}function Ct(t,e){let o=!1;t.addEventListener("pointerdown",()=>o=!0),t.addEventListener("keydown",n=>{let r=e.closest(O)&&Mt(n,o);if(o=!1,!(n.ctrlKey||n.metaKey||n.altKey||n.key==="Tab")){if(j(n))return T(e);r||n.stopPropagation(),(r||n.key==="Escape")&&T(e)}});for(let[n,r]of Object.entries(Lt)){let a=({target:i})=>o&&i.matches(r)&&e.closest(O);t.addEventListener(n,i=>a(i)&&T(e),{capture:!0})}}var Mt=({key:t,target:e},o)=>vt.includes(t)||o&&$t.test(t)&&e.matches(Et);function T(t){t.shadowRoot.activeElement?.blur(),t.parentElement?.closest("[tabindex]")?.focus()}function tt({prepare:t=l=>l,begin:e,compute:o,controls:n,draw:r,explain:a,...i}){let{style:l,sizes:p=()=>[0],hint:u}=i;return(s,d)=>{let f=t(d),x=p(f);l&&c(s,"style",{},l);let h={data:f,state:e(f),act:C,reset:()=>C(()=>e(f))},y=n(K(s),h),S=Y(s),g=c(s,"div",{class:"picture"}),w=null;A(x.at(-1)),u&&It(s,u(f));function A(b){h.width=b,g.replaceChildren(),w=r(g,h)}function E(){let{state:b}=h,v=o(b,f);y(b),w(b,v),S(a(b,v,f))}let I=Rt(E);function C(b,...v){h.state=b(h.state,...v),I()}E(),Nt(s,b=>{m(s.querySelector("[aria-live]"),{style:null});let v=x.findLast(gt=>gt<=b)??x[0];v!==h.width&&(A(v),E())})}}function Nt(t,e){let o=([{contentRect:n}])=>n.width&&e(n.width);new ResizeObserver(o).observe(t)}function It(t,e){let o=c(t,"p",{class:"hint"},e);for(let n of["pointerdown","keydown","input"]){let r=a=>a.key!=="Tab"&&m(o,{class:"hint gone"});t.addEventListener(n,r)}}function Rt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var et=(...t)=>(...e)=>t.forEach(o=>o(...e)),nt=(t,e)=>({...t,...e});var q=(t,e)=>t.length>e?t.slice(0,e-1)+"…":t,L=(t,e,o)=>Math.max(e,Math.min(o,t));var Dt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function Pt(t,e,o,n,r){let a=P(t)?"g":"div",i=c(t,a,{role:"grid","aria-label":e}),l=o.map((u,s)=>{let d=c(i,a,{role:"row"});return Array.from({length:u},(f,x)=>{let h=c(d,a,{role:"gridcell",tabindex:s+x?-1:0});return h.at=[s,x],n(h,s,x),h})});return Tt(i,l,u=>{for(let s of l.flat())m(s,{tabindex:s.at===u?0:-1});r(...u)}),l}function _(t,e,o,n,r=!1){let a=[];return(i,l,p)=>{if(a.length!==i){t.replaceChildren();let u=r?Array(i).fill(1):[i];a=Pt(t,e,u,o,(s,d)=>n(s+d)).flat()}a.forEach((u,s)=>{let[d,f]=p(u,s);m(u,{"aria-label":d,class:f||null,tabindex:s===l?0:-1})})}}function Tt(t,e,o){let n=i=>i.target.closest("[role=gridcell]")?.at,r=(i,l)=>l[L(i,0,l.length-1)],a=(i,l)=>{let p=r(l,r(i,e));p.focus(),o(p.at)};t.getRootNode().addEventListener("focusin",i=>{t.contains(i.target)&&o(n(i))}),t.addEventListener("click",i=>n(i)&&a(...n(i))),t.addEventListener("keydown",i=>{let l=Dt[i.key];if(!l||i.shiftKey)return;i.preventDefault();let[p,u]=n(i);a(p+l[0],u+l[1])})}var $=(t,e)=>`${t} ${e}${t===1?"":"s"}`,k=t=>String(t).replace(/(?=(\d{3})+$)(?!^)/g,","),Ot={full:({num_heads:t})=>`multi-head (MHA), ${$(t,"head")}`,grouped:({num_kv_heads:t})=>`grouped (GQA), ${$(t,"KV head")}`,latent:({latent_dim:t,rope_dim:e})=>`latent (MLA), dim ${t} + RoPE dim ${e}`,window:({window:t})=>`sliding window of ${t}`,sinks:({window:t,sinks:e})=>`window of ${t} + ${$(e,"sink")}`,state:({num_heads:t,head_dim:e})=>`linear attention, ${$(t,"head")} of ${e} × ${e}`},H=(t,e)=>Ot[t](e),ot=t=>({head_dim:e,[t]:o})=>`keys and values: 2 · ${$(o,"head")} · head_dim ${e}`,qt={grouped:ot("num_kv_heads"),latent:({latent_dim:t,rope_dim:e})=>`latent dim ${t} + RoPE dim ${e}, together ${t+e}`,state:({num_heads:t,head_dim:e})=>`${$(t,"head")} · ${e} × ${e}`},_t=(t,e,o)=>`${(qt[t]??ot("num_heads"))(e)} · ${e.itemsize} bytes per element = ${k(o)}`;function rt({read:t,kind:e},{chosen:o,last:n},{tokens:r,sizes:a}){let{rows:i,each:l,bytes:p}=o,u=_t(e,a,l),s=[[r[t-1],"query"],[` is the query, token ${t}. `]];if(e==="state")return[...s,...Ht(t,u,p)];let d=r.filter((x,h)=>n[h]==="dropped"),f=d.length?`No longer visible: ${d.join(", ")}.`:"All of them are visible.";return[...s,[`Cached: ${i} of ${$(t,"token")}`,"key"],[` × ${k(l)} = ${k(p)} bytes (${u}). ${f}`]]}function Ht(t,e,o){let n=t===1?"the token":`all ${t} tokens`;return[[`State: ${k(o)} bytes, however many tokens (${e}). `],[`The outer products of keys and values of ${n} are summed into it`,"value"],[t===1?".":": none can be looked up on its own."]]}function it(t,{x:e,y:o,cell:n,rows:r,columns:a,size:i=14}){let l=n.width<1.56*i?-90:-45,p=`font-size:${i}px`,u=Math.round(.34*i);r.forEach((s,d)=>{let f={x:e-8,y:o+(d+.5)*n.height+u};c(t,"text",{class:"e",style:p,...f},q(s,8))}),a.forEach((s,d)=>{let x=`translate(${e+(d+.5)*n.width+u-1},${o-7})rotate(${l})`;c(t,"text",{style:p,transform:x},q(s,8))})}var st=360,R=78,N=66,Wt=30,Gt={kept:{fill:"var(--key)","fill-opacity":.75},overlaid:{fill:"var(--value)","fill-opacity":.45},dropped:{fill:"currentColor","fill-opacity":.05},later:{fill:"none","fill-opacity":0}},Kt=[["kept","visible"],["dropped","evicted"],["overlaid","summed into the state"]];function at(t,{data:{tokens:e}}){let o=e.length,n=c(t,"div",{class:"seen"});c(n,"div",{class:"caption"},"which query (row) can see which key (column)");let r=L((st-R-Wt)/o,10,30),a=N+o*r+34,i=c(n,"svg",{class:"glides",viewBox:`0 0 ${st} ${a}`});m(i,{"aria-hidden":"true"}),it(i,{x:R,y:N,cell:{width:r,height:r},rows:e,columns:e});let p=e.map((s,d)=>e.map((f,x)=>Bt(i,d,x,r))),u=c(i,"rect",{class:"mark",stroke:"var(--query)",x:R-2,rx:3});return m(u,{height:r+2}),Ft(i,N+o*r+12),({read:s},{map:d})=>{p.forEach((f,x)=>f.forEach((h,y)=>ct(h,d[x][y],x===s-1))),m(u,{y:N+(s-1)*r-1,width:s*r+3})}}function Bt(t,e,o,n){let r={x:R+o*n,y:N+e*n},a={...r,width:n-1.5,height:n-1.5,rx:2},i=c(t,"rect",{...a,stroke:"currentColor"}),l=`M${r.x+2},${r.y+n-4}L${r.x+n-4},${r.y+2}`;return[i,c(t,"path",{d:l,stroke:"currentColor","stroke-width":1.2})]}function ct([t,e],o,n){m(t,{...Gt[o],"stroke-opacity":o==="dropped"?.45:0}),o==="kept"&&m(t,{"fill-opacity":n?1:.55}),m(e,{"stroke-opacity":o==="overlaid"?.7:0})}function Ft(t,e){let o=4;for(let[n,r]of Kt){let a=c(t,"g",{transform:`translate(${o},${e})`}),i=c(a,"rect",{width:16,height:16,rx:2,stroke:"currentColor"});ct([i,c(a,"path",{d:"M2,14L14,2",stroke:"currentColor","stroke-width":1.2})],n,!1),c(a,"text",{x:22,y:13},r),o+=34+7.2*r.length}}var dt=t=>e=>2*e[t]*e.head_dim,Ut={grouped:dt("num_kv_heads"),latent:({latent_dim:t,rope_dim:e})=>t+e,state:({num_heads:t,head_dim:e})=>t*e**2},Yt=(t,e)=>(Ut[t]??dt("num_heads"))(e)*e.itemsize;function pt(t,e,o,{window:n,sinks:r}){return o>e||t==="state"?!1:t!=="window"&&t!=="sinks"?!0:e-o<n||t==="sinks"&&o<r}function W(t,e,o){let n=Yt(t,o);if(t==="state")return{kind:t,rows:1,each:n,bytes:n};let a=Array.from({length:e},(i,l)=>pt(t,e-1,l,o)).filter(Boolean).length;return{kind:t,rows:a,each:n,bytes:a*n}}function lt(t,e,o,n){return o>e?"later":t==="state"?"overlaid":pt(t,e,o,n)?"kept":"dropped"}var ut=({step:t,kind:e})=>({read:t,kind:e}),D=(t,e,{tokens:o})=>({...t,read:L(e,1,o.length)});function ft({read:t,kind:e},{tokens:o,kinds:n,sizes:r}){let a=o.length,i=n.map(s=>W(s,t,r)),l=Math.max(...n.map(s=>W(s,a,r).bytes)),p=o.map((s,d)=>o.map((f,x)=>d<t?lt(e,d,x,r):"later")),u=o.map((s,d)=>lt(e,t-1,d,r));return{all:i,most:l,map:p,last:u,chosen:W(e,t,r)}}var mt=`
.words [role=gridcell] { padding: 2px 10px; border-width: 2.5px; min-width: 44px; text-align: center; }
.words .kept { background: color-mix(in srgb, var(--key) 30%, transparent); }
.words .overlaid { background: color-mix(in srgb, var(--value) 30%, transparent); }
.words .dropped { text-decoration: line-through; }
.words .dropped, .words .later { opacity: .75; border: 1.5px dashed; }
.kinds { flex: 1 1 330px; min-width: 0; }
.seen { flex: 1 1 330px; max-width: 400px; min-width: 0; }
.kinds [role=row] { display: block; }
.kinds [role=gridcell] {
  display: grid; grid-template-columns: minmax(92px, 150px) 1fr 112px; gap: 10px;
  align-items: center; padding: 3px 8px; line-height: 1.25; min-height: 46px;
}
.shown { border-color: currentColor; }
.kinds i { height: 24px; background: var(--key); }
.kinds .state i { background: var(--value); }
.kinds b { font-weight: inherit; text-align: right; }
.kinds small { display: block; font-size: 14px; font-weight: 400; }
@media (max-width: 500px) { .kinds [role=gridcell] { grid-template-columns: 108px 1fr 88px; } }
@media (prefers-reduced-motion: no-preference) { .kinds i { transition: width 220ms ease-out; } }
`;function ht(t,e){let o=Xt(t,e),n=c(t,"div",{class:"below"});return et(o,Jt(n,e),at(n,e))}var Vt={kept:"in the cache",dropped:"evicted",overlaid:"summed into the state",later:"not read yet"};function Xt(t,{data:e,act:o}){let{tokens:n}=e,r=c(t,"div",{class:"words"}),l=_(r,"tokens: which one is the newest?",(p,u,s)=>m(p,{},n[s]),p=>o(D,p+1,e));return({read:p},{last:u})=>l(n.length,p-1,(s,d)=>{let f=d===p-1;return[`${n[d]}: ${f?"the query, ":""}${Vt[u[d]]}`,u[d]+(f?" asks":"")]})}function Jt(t,{data:e,act:o}){let{kinds:n,sizes:r}=e,a=c(t,"div",{class:"kinds"});c(a,"div",{class:"caption"},"bytes in the cache (tokens × bytes per token), by kind of attention: choose one");let l=(s,d)=>{c(s,"span",{},H(n[d],r)),c(c(s,"span"),"i");let f=c(s,"b");c(f,"span"),c(f,"small")},p=s=>o(nt,{kind:n[s]}),u=_(c(a,"div"),"kinds of attention",l,p,!0);return({kind:s},{all:d,most:f})=>u(n.length,n.indexOf(s),(x,h)=>{let{rows:y,each:S,bytes:g}=d[h],[,w,A]=x.children,E=n[h]==="state"?"constant":`${y} × ${k(S)}`;m(w.firstChild,{style:`width:${100*g/f}%`}),m(A.firstChild,{},k(g)),m(A.lastChild,{},E);let I=`${H(n[h],r)}: ${k(g)} bytes, ${E}`,C=n[h]==="state"?"state":"";return n[h]===s?[`${I}, shown`,`${C} shown`.trim()]:[I,C]})}var Qt=1300;function Zt(t,e){let o=e.data.tokens.length,r=J(t,e,{name:"tokens read",first:1,last:o,every:Qt,at:({read:a})=>a,go:D});return M(t,"Reset",e.reset),r}var zt=()=>"Press Play: tokens arrive. Choose a kind of attention: which tokens stay visible?",xt=tt({begin:ut,compute:ft,controls:Zt,draw:ht,explain:rt,style:mt,hint:zt});z("live-00000000",xt);
