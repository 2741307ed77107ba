// a429ac0fd958e7d12f451122a757355c840dc8eb9504e1f1dc2ffc3a9b351425
var G="http://www.w3.org/2000/svg";var _=t=>t.namespaceURI===G;function m(t,e,o){for(let[n,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(n):t.setAttribute(n,r);return o!==void 0&&t.textContent!==String(o)&&(t.textContent=o),t}function c(t,e,o={},n){let i=e==="svg"||_(t)?document.createElementNS(G,e):document.createElement(e);return m(i,o,n),t.append(i),i}var F=t=>c(t,"div",{class:"bar"});function xt(t,e,o,n){let r=c(c(t,"label",{},e),"input",o);return r.addEventListener("input",()=>n(r)),r}var Y=(t,e,{step:o=1,...n},r)=>xt(t,e,{type:"range",step:o,...n},i=>r(Number(i.value)));var B=(t,e={})=>c(t,"span",{"aria-hidden":"true",...e});function H(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function M(t,e,o){let n=c(t,"button",{type:"button"},e);return n.addEventListener("click",o),n}function U(t){let e=c(t,"p",{"aria-live":"polite"}),o="";return n=>{let r=n.map(i=>i[0]).join("");r!==o&&(o=r,e.replaceChildren(...n.map(i=>gt(...i))))}}function gt(t,e){let o=document.createElement("span");return o.textContent=t,e&&m(o,{class:"role",style:`text-decoration-color: var(--${e})`}),o}var wt=220,X=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${wt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function yt(t,e,{name:o="Play",every:n=400,...r}){let{next:i,rewind:s,ended:l,held:d=()=>!1}=r,u=0,a=M(t,`▶ ${o}`,()=>u?p():x());function p(){clearInterval(u),u=0,V(t,!1),m(a,{},`▶ ${o}`)}function f(){if(!a.isConnected)return p();l(i(e.state))&&p(),e.act(i)}function x(){l(e.state)&&e.act(s),u=setInterval(f,n),V(t,n<=1e3),m(a,{},"❚❚ Pause"),d(e.state)||f()}for(let h of["input","click"])t.addEventListener(h,y=>u&&y.target!==a&&p())}var V=(t,e)=>m(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});function J(t,e,{name:o,first:n=0,last:r,every:i,at:s,go:l,names:d}){let{act:u,data:a}=e,p=g=>u(l,g,a);yt(t,e,{every:i,next:g=>l(g,s(g)+1,a),rewind:g=>l(g,n,a),ended:g=>s(g)===r,held:g=>!!d&&s(g)===n});let f=(g,w)=>M(t,g,()=>p(s(e.state)+w)),x=!d&&f("◀ back",-1),h=!d&&f("forward ▶",1),y=Y(t,o,{min:n,max:r,style:d?"width:240px":null},p),A=d&&B(t,{class:"b"});return g=>{let w=s(g);H(y,w),d?(m(y,{"aria-valuetext":d[w]}),m(A,{},d[w])):(m(x,{"aria-disabled":w===n}),m(h,{"aria-disabled":w===r}))}}var Q=`
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
.hint { font-size: 13px; min-height: 0; opacity: .8; }
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
  .bar :is(input, select, button) { min-height: 36px; }
  .hint { font-size: 15px; }
}
@media print {
  :host { break-inside: avoid; }
  .bar, .hint { display: none; }
  .scroll { overflow: visible; }
  .stage { min-width: 0 !important; }
}
`;var Z=".reveal",bt=["PageUp","PageDown"],kt=/^Arrow[LR]/,vt="[role],[type=range]",$t={click:"button, summary",change:"select, [type=checkbox]"};function z(t,e){if(customElements.get(t))return;let o=class extends HTMLElement{connectedCallback(){this.shadowRoot||Et(this,e)}};customElements.define(t,o)}function Et(t,e){let o=JSON.parse(t.dataset.live),n=t.attachShadow({mode:"open"});c(n,"style",{},Q);let r=c(n,"div",{class:"live",role:"group","aria-label":o.title});for(let s in o.roles)r.style.setProperty(`--${s}`,o.roles[s]);e(r,o),m(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),Lt(n,t);let i=t.previousElementSibling;i?.classList.contains("live-fallback")&&t.append(i)}function Lt(t,e){let o=!1;t.addEventListener("pointerdown",()=>o=!0),t.addEventListener("keydown",n=>{let r=e.closest(Z)&&At(n,o);o=!1,!(n.ctrlKey||n.metaKey||n.altKey||n.key==="Tab")&&(r||n.stopPropagation(),(r||n.key==="Escape")&&j(e))});for(let[n,r]of Object.entries($t)){let i=({target:s})=>o&&s.matches(r)&&e.closest(Z);t.addEventListener(n,s=>i(s)&&j(e),{capture:!0})}}var At=({key:t,target:e},o)=>bt.includes(t)||o&&kt.test(t)&&e.matches(vt);function j(t){t.shadowRoot.activeElement?.blur(),t.parentElement?.closest("[tabindex]")?.focus()}function tt({prepare:t=l=>l,begin:e,compute:o,controls:n,draw:r,explain:i,...s}){let{style:l,sizes:d=()=>[0],hint:u}=s;return(a,p)=>{let f=t(p),x=d(f);l&&c(a,"style",{},l);let h={data:f,state:e(f),act:S,reset:()=>S(()=>e(f))},y=n(F(a),h),A=U(a),g=c(a,"div",{class:"picture"}),w=null;C(x.at(-1)),u&&St(a,u(f));function C(b){h.width=b,g.replaceChildren(),w=r(g,h)}function E(){let{state:b}=h,v=o(b,f);y(b),w(b,v),A(i(b,v,f))}let N=Mt(E);function S(b,...v){h.state=b(h.state,...v),N()}E(),Ct(a,b=>{let v=x.findLast(ht=>ht<=b)??x[0];v!==h.width&&(C(v),E())})}}function Ct(t,e){let o=([{contentRect:n}])=>n.width&&e(n.width);new ResizeObserver(o).observe(t)}function St(t,e){let o=c(t,"p",{class:"hint"},e);for(let n of["pointerdown","keydown","input"]){let r=i=>i.key!=="Tab"&&m(o,{class:"hint gone"});t.addEventListener(n,r)}}function Mt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var et=(...t)=>(...e)=>t.forEach(o=>o(...e)),nt=(t,e)=>({...t,...e});var O=(t,e)=>t.length>e?t.slice(0,e-1)+"…":t,L=(t,e,o)=>Math.max(e,Math.min(o,t));var It={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function Nt(t,e,o,n,r){let i=_(t)?"g":"div",s=c(t,i,{role:"grid","aria-label":e}),l=o.map((u,a)=>{let p=c(s,i,{role:"row"});return Array.from({length:u},(f,x)=>{let h=c(p,i,{role:"gridcell",tabindex:a+x?-1:0});return h.at=[a,x],n(h,a,x),h})});return Dt(s,l,u=>{for(let a of l.flat())m(a,{tabindex:a.at===u?0:-1});r(...u)}),l}function q(t,e,o,n,r=!1){let i=[];return(s,l,d)=>{if(i.length!==s){t.replaceChildren();let u=r?Array(s).fill(1):[s];i=Nt(t,e,u,o,(a,p)=>n(a+p)).flat()}i.forEach((u,a)=>{let[p,f]=d(u,a);m(u,{"aria-label":p,class:f||null,tabindex:a===l?0:-1})})}}function Dt(t,e,o){let n=s=>s.target.closest("[role=gridcell]")?.at,r=(s,l)=>l[L(s,0,l.length-1)],i=(s,l)=>{let d=r(l,r(s,e));d.focus(),o(d.at)};t.getRootNode().addEventListener("focusin",s=>{t.contains(s.target)&&o(n(s))}),t.addEventListener("click",s=>n(s)&&i(...n(s))),t.addEventListener("keydown",s=>{let l=It[s.key];if(!l||s.shiftKey)return;s.preventDefault();let[d,u]=n(s);i(d+l[0],u+l[1])})}var $=(t,e)=>`${t} ${e}${t===1?"":"s"}`,k=t=>String(t).replace(/(?=(\d{3})+$)(?!^)/g,","),Tt={full:({num_heads:t})=>`multi-head (MHA), ${$(t,"head")}`,grouped:({num_kv_heads:t})=>`grouped (GQA), ${$(t,"KV head")}`,latent:({latent_dim:t,rope_dim:e})=>e?`latent (MLA), ${t} + ${e} numbers`:`latent (MLA), ${t} numbers`,window:({window:t})=>`sliding window of ${t}`,sinks:({window:t,sinks:e})=>`window of ${t} + ${$(e,"sink")}`,state:({head_dim:t})=>`recurrent state, ${t} × ${t}`},K=(t,e)=>Tt[t](e),D=(t,{head_dim:e})=>`keys and values: 2 · ${$(t,"head")} · ${e} numbers`,Rt={full:t=>D(t.num_heads,t),grouped:t=>D(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>e?`a latent of ${t} numbers and a rotary part of ${e}, together ${t+e}`:`a latent: ${t} numbers`,window:t=>D(t.num_heads,t),sinks:t=>D(t.num_heads,t),state:({num_heads:t,head_dim:e})=>`${$(t,"head")} · ${e} · ${e} numbers`};function Pt(t,e,o){let n=e.num_layers>1?`${e.num_layers} layers · `:"",r=t==="state"?e.state_itemsize:e.itemsize;return`${n}${Rt[t](e)} · ${$(r,"byte")} = ${k(o)}`}function ot({read:t,kind:e},{chosen:o,last:n},{tokens:r,sizes:i}){let{rows:s,each:l,bytes:d}=o,u=Pt(e,i,l),a=[[r[t-1],"query"],[` is the query, token ${t}. `]];if(e==="state")return[...a,..._t(t,u,d)];let p=r.filter((x,h)=>n[h]==="dropped"),f=p.length?`No longer visible: ${p.join(", ")}.`:"All of them are visible.";return[...a,[`Cached: ${s} of ${$(t,"token")}`,"key"],[` × ${k(l)} = ${k(d)} bytes (${u}). ${f}`]]}function _t(t,e,o){let n=t===1?"the token":`all ${t} tokens`;return[[`State: ${k(o)} bytes, however many tokens (${e}). `],[`The keys and values of ${n} are summed into it`,"value"],[t===1?".":": none can be looked up on its own."]]}function rt(t,{x:e,y:o,cell:n,rows:r,columns:i,size:s=14}){let l=n.width<1.56*s?-90:-45,d=`font-size:${s}px`,u=Math.round(.34*s);r.forEach((a,p)=>{let f={x:e-8,y:o+(p+.5)*n.height+u};c(t,"text",{class:"e",style:d,...f},O(a,8))}),i.forEach((a,p)=>{let x=`translate(${e+(p+.5)*n.width+u-1},${o-7})rotate(${l})`;c(t,"text",{style:d,transform:x},O(a,8))})}var st=360,T=78,I=66,Ot=30,qt={kept:{fill:"var(--key)","fill-opacity":.75},overlaid:{fill:"var(--value)","fill-opacity":.45},dropped:{fill:"currentColor","fill-opacity":.05},later:{fill:"none","fill-opacity":0}},Kt=[["kept","visible"],["dropped","evicted"],["overlaid","summed into the state"]];function it(t,{data:{tokens:e}}){let o=e.length,n=c(t,"div",{class:"seen"});c(n,"div",{class:"caption"},"which query (row) can see which key (column)");let r=L((st-T-Ot)/o,10,30),i=I+o*r+34,s=c(n,"svg",{class:"glides",viewBox:`0 0 ${st} ${i}`});m(s,{"aria-hidden":"true"}),rt(s,{x:T,y:I,cell:{width:r,height:r},rows:e,columns:e});let d=e.map((a,p)=>e.map((f,x)=>Wt(s,p,x,r))),u=c(s,"rect",{class:"mark",stroke:"var(--query)",x:T-2,rx:3});return m(u,{height:r+2}),Gt(s,I+o*r+12),({read:a},{map:p})=>{d.forEach((f,x)=>f.forEach((h,y)=>at(h,p[x][y],x===a-1))),m(u,{y:I+(a-1)*r-1,width:a*r+3})}}function Wt(t,e,o,n){let r={x:T+o*n,y:I+e*n},i={...r,width:n-1.5,height:n-1.5,rx:2},s=c(t,"rect",{...i,stroke:"currentColor"}),l=`M${r.x+2},${r.y+n-4}L${r.x+n-4},${r.y+2}`;return[s,c(t,"path",{d:l,stroke:"currentColor","stroke-width":1.2})]}function at([t,e],o,n){m(t,{...qt[o],"stroke-opacity":o==="dropped"?.45:0}),o==="kept"&&m(t,{"fill-opacity":n?1:.55}),m(e,{"stroke-opacity":o==="overlaid"?.7:0})}function Gt(t,e){let o=4;for(let[n,r]of Kt){let i=c(t,"g",{transform:`translate(${o},${e})`}),s=c(i,"rect",{width:16,height:16,rx:2,stroke:"currentColor"});at([s,c(i,"path",{d:"M2,14L14,2",stroke:"currentColor","stroke-width":1.2})],n,!1),c(i,"text",{x:22,y:13},r),o+=34+7.2*r.length}}var R=(t,{head_dim:e})=>2*t*e,Ft={full:t=>R(t.num_heads,t),grouped:t=>R(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>t+e,window:t=>R(t.num_heads,t),sinks:t=>R(t.num_heads,t),state:({num_heads:t,head_dim:e})=>t*e**2};function Yt(t,e){let o=t==="state"?e.state_itemsize:e.itemsize;return e.num_layers*Ft[t](e)*o}function lt(t,e,o,{window:n,sinks:r}){return o>e||t==="state"?!1:t!=="window"&&t!=="sinks"?!0:e-o<n||t==="sinks"&&o<r}function W(t,e,o){let n=Yt(t,o);if(t==="state")return{kind:t,rows:1,each:n,bytes:n};let i=Array.from({length:e},(s,l)=>lt(t,e-1,l,o)).filter(Boolean).length;return{kind:t,rows:i,each:n,bytes:i*n}}function ct(t,e,o,n){return o>e?"later":t==="state"?"overlaid":lt(t,e,o,n)?"kept":"dropped"}var pt=({step:t,kind:e})=>({read:t,kind:e}),P=(t,e,{tokens:o})=>({...t,read:L(e,1,o.length)});function dt({read:t,kind:e},{tokens:o,kinds:n,sizes:r}){let i=o.length,s=n.map(a=>W(a,t,r)),l=Math.max(...n.map(a=>W(a,i,r).bytes)),d=o.map((a,p)=>o.map((f,x)=>p<t?ct(e,p,x,r):"later")),u=o.map((a,p)=>ct(e,t-1,p,r));return{all:s,most:l,map:d,last:u,chosen:W(e,t,r)}}var ut=`
.hint { font-size: 14px; }
.words [role=gridcell] { padding: 2px 10px; border-width: 2.5px; min-width: 44px; text-align: center; }
.words .kept { background: color-mix(in srgb, var(--key) 30%, transparent); }
.words .overlaid { background: color-mix(in srgb, var(--value) 30%, transparent); }
.words .dropped { text-decoration: line-through; opacity: .75; }
.words .dropped, .words .later { border: 1.5px dashed color-mix(in srgb, currentColor 55%, transparent); }
.words .later { opacity: .75; }
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
`;function ft(t,e){let o=Ht(t,e),n=c(t,"div",{class:"below"});return et(o,Ut(n,e),it(n,e))}var Bt={kept:"in the cache",dropped:"evicted",overlaid:"summed into the state",later:"not read yet"};function Ht(t,{data:e,act:o}){let{tokens:n}=e,r=c(t,"div",{class:"words"}),l=q(r,"tokens: which one is the newest?",(d,u,a)=>m(d,{},n[a]),d=>o(P,d+1,e));return({read:d},{last:u})=>l(n.length,d-1,(a,p)=>{let f=p===d-1;return[`${n[p]}: ${f?"the query, ":""}${Bt[u[p]]}`,u[p]+(f?" asks":"")]})}function Ut(t,{data:e,act:o}){let{kinds:n,sizes:r}=e,i=c(t,"div",{class:"kinds"});c(i,"div",{class:"caption"},"bytes in the cache (tokens × bytes per token), by kind of attention: choose one");let l=(a,p)=>{c(a,"span",{},K(n[p],r)),c(c(a,"span"),"i");let f=c(a,"b");c(f,"span"),c(f,"small")},d=a=>o(nt,{kind:n[a]}),u=q(c(i,"div"),"kinds of attention",l,d,!0);return({kind:a},{all:p,most:f})=>u(n.length,n.indexOf(a),(x,h)=>{let{rows:y,each:A,bytes:g}=p[h],[,w,C]=x.children,E=n[h]==="state"?"constant":`${y} × ${k(A)}`;m(w.firstChild,{style:`width:${100*g/f}%`}),m(C.firstChild,{},k(g)),m(C.lastChild,{},E);let N=`${K(n[h],r)}: ${k(g)} bytes, ${E}`,S=n[h]==="state"?"state":"";return n[h]===a?[`${N}, shown`,`${S} shown`.trim()]:[N,S]})}var Vt=1300;function Xt(t,e){let o=e.data.tokens.length,r=J(t,e,{name:"tokens read",first:1,last:o,every:Vt,at:({read:i})=>i,go:P});return M(t,"Reset",e.reset),r}var Jt=()=>"Press Play: tokens arrive. Choose a kind of attention: which tokens stay visible?",mt=tt({begin:pt,compute:dt,controls:Xt,draw:ft,explain:ot,style:ut,hint:Jt});z("live-00000000",mt);
