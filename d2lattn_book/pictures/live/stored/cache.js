// 3314a46a68088eed1ba4397dfa784b2d8339d8fc7633f63831e542b5f038cf64
var G="http://www.w3.org/2000/svg";var _=t=>t.namespaceURI===G;function m(t,e,o){for(let[n,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(n):t.setAttribute(n,r);return o!==void 0&&t.textContent!==String(o)&&(t.textContent=o),t}function c(t,e,o={},n){let s=e==="svg"||_(t)?document.createElementNS(G,e):document.createElement(e);return m(s,o,n),t.append(s),s}var F=t=>c(t,"div",{class:"bar"});function xt(t,e,o,n){let r=c(c(t,"label",{},e),"input",o);return r.addEventListener("input",()=>n(r)),r}var Y=(t,e,{step:o=1,...n},r)=>xt(t,e,{type:"range",step:o,...n},s=>r(Number(s.value)));var B=(t,e={})=>c(t,"span",{"aria-hidden":"true",...e});function H(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function M(t,e,o){let n=c(t,"button",{type:"button"},e);return n.addEventListener("click",o),n}function U(t){let e=c(t,"p",{"aria-live":"polite"}),o="";return n=>{let r=n.map(s=>s[0]).join("");r!==o&&(o=r,e.replaceChildren(...n.map(s=>gt(...s))))}}function gt(t,e){let o=document.createElement("span");return o.textContent=t,e&&m(o,{class:"role",style:`text-decoration-color: var(--${e})`}),o}var wt=220,X=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${wt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function yt(t,e,{name:o="Play",every:n=400,...r}){let{next:s,rewind:i,ended:l,held:p=()=>!1}=r,u=0,a=M(t,`▶ ${o}`,()=>u?d():x());function d(){clearInterval(u),u=0,V(t,!1),m(a,{},`▶ ${o}`)}function f(){if(!a.isConnected)return d();l(s(e.state))&&d(),e.act(s)}function x(){l(e.state)&&e.act(i),u=setInterval(f,n),V(t,n<=1e3),m(a,{},"❚❚ Pause"),p(e.state)||f()}for(let h of["input","click"])t.addEventListener(h,y=>u&&y.target!==a&&d())}var V=(t,e)=>m(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});function J(t,e,{name:o,first:n=0,last:r,every:s,at:i,go:l,names:p}){let{act:u,data:a}=e,d=g=>u(l,g,a);yt(t,e,{every:s,next:g=>l(g,i(g)+1,a),rewind:g=>l(g,n,a),ended:g=>i(g)===r,held:g=>!!p&&i(g)===n});let f=(g,w)=>M(t,g,()=>d(i(e.state)+w)),x=!p&&f("◀ back",-1),h=!p&&f("forward ▶",1),y=Y(t,o,{min:n,max:r,style:p?"width:240px":null},d),A=p&&B(t,{class:"b"});return g=>{let w=i(g);H(y,w),p?(m(y,{"aria-valuetext":p[w]}),m(A,{},p[w])):(m(x,{"aria-disabled":w===n}),m(h,{"aria-disabled":w===r}))}}var Q=`
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
`;var Z=".reveal",bt=["PageUp","PageDown"],kt=/^Arrow[LR]/,vt="[role],[type=range]",$t={click:"button, summary",change:"select, [type=checkbox]"};function z(t,e){if(customElements.get(t))return;let o=class extends HTMLElement{connectedCallback(){this.shadowRoot||Et(this,e)}};customElements.define(t,o)}function Et(t,e){let o=JSON.parse(t.dataset.live),n=t.attachShadow({mode:"open"});c(n,"style",{},Q);let r=c(n,"div",{class:"live",role:"group","aria-label":o.title});for(let i in o.roles)r.style.setProperty(`--${i}`,o.roles[i]);e(r,o),m(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),Lt(n,t);let s=t.previousElementSibling;s?.classList.contains("live-fallback")&&t.append(s)}function Lt(t,e){let o=!1;t.addEventListener("pointerdown",()=>o=!0),t.addEventListener("keydown",n=>{let r=e.closest(Z)&&At(n,o);o=!1,!(n.ctrlKey||n.metaKey||n.altKey||n.key==="Tab")&&(r||n.stopPropagation(),(r||n.key==="Escape")&&j(e))});for(let[n,r]of Object.entries($t)){let s=({target:i})=>o&&i.matches(r)&&e.closest(Z);t.addEventListener(n,i=>s(i)&&j(e),{capture:!0})}}var At=({key:t,target:e},o)=>bt.includes(t)||o&&kt.test(t)&&e.matches(vt);function j(t){t.shadowRoot.activeElement?.blur(),t.parentElement?.closest("[tabindex]")?.focus()}function tt({prepare:t=l=>l,begin:e,compute:o,controls:n,draw:r,explain:s,...i}){let{style:l,sizes:p=()=>[0],hint:u}=i;return(a,d)=>{let f=t(d),x=p(f);l&&c(a,"style",{},l);let h={data:f,state:e(f),act:S,reset:()=>S(()=>e(f))},y=n(F(a),h),A=U(a),g=c(a,"div",{class:"picture"}),w=null;C(x.at(-1)),u&&St(a,u(f));function C(b){h.width=b,g.replaceChildren(),w=r(g,h)}function E(){let{state:b}=h,$=o(b,f);y(b),w(b,$),A(s(b,$,f))}let N=Mt(E);function S(b,...$){h.state=b(h.state,...$),N()}E(),Ct(a,b=>{let $=x.findLast(ht=>ht<=b)??x[0];$!==h.width&&(C($),E())})}}function Ct(t,e){let o=([{contentRect:n}])=>n.width&&e(n.width);new ResizeObserver(o).observe(t)}function St(t,e){let o=c(t,"p",{class:"hint"},e);for(let n of["pointerdown","keydown","input"]){let r=s=>s.key!=="Tab"&&m(o,{class:"hint gone"});t.addEventListener(n,r)}}function Mt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var et=(...t)=>(...e)=>t.forEach(o=>o(...e)),nt=(t,e)=>({...t,...e});var O=(t,e)=>t.length>e?t.slice(0,e-1)+"…":t,L=(t,e,o)=>Math.max(e,Math.min(o,t));var It={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function Nt(t,e,o,n,r){let s=_(t)?"g":"div",i=c(t,s,{role:"grid","aria-label":e}),l=o.map((u,a)=>{let d=c(i,s,{role:"row"});return Array.from({length:u},(f,x)=>{let h=c(d,s,{role:"gridcell",tabindex:a+x?-1:0});return h.at=[a,x],n(h,a,x),h})});return Dt(i,l,u=>{for(let a of l.flat())m(a,{tabindex:a.at===u?0:-1});r(...u)}),l}function q(t,e,o,n,r=!1){let s=[];return(i,l,p)=>{if(s.length!==i){t.replaceChildren();let u=r?Array(i).fill(1):[i];s=Nt(t,e,u,o,(a,d)=>n(a+d)).flat()}s.forEach((u,a)=>{let[d,f]=p(u,a);m(u,{"aria-label":d,class:f||null,tabindex:a===l?0:-1})})}}function Dt(t,e,o){let n=i=>i.target.closest("[role=gridcell]")?.at,r=(i,l)=>l[L(i,0,l.length-1)],s=(i,l)=>{let p=r(l,r(i,e));p.focus(),o(p.at)};t.getRootNode().addEventListener("focusin",i=>{t.contains(i.target)&&o(n(i))}),t.addEventListener("click",i=>n(i)&&s(...n(i))),t.addEventListener("keydown",i=>{let l=It[i.key];if(!l||i.shiftKey)return;i.preventDefault();let[p,u]=n(i);s(p+l[0],u+l[1])})}var k=(t,e)=>`${t} ${e}${t===1?"":"s"}`,v=t=>String(t).replace(/(?=(\d{3})+$)(?!^)/g,","),Rt={full:({num_heads:t})=>`multi-head (MHA), ${k(t,"head")}`,grouped:({num_kv_heads:t})=>`grouped (GQA), ${k(t,"KV head")}`,latent:({latent_dim:t,rope_dim:e})=>e?`latent (MLA), dim ${t} + RoPE dim ${e}`:`latent (MLA), dim ${t}`,window:({window:t})=>`sliding window of ${t}`,sinks:({window:t,sinks:e})=>`window of ${t} + ${k(e,"sink")}`,state:({num_heads:t,head_dim:e})=>`linear attention, ${k(t,"head")} of ${e} × ${e}`},K=(t,e)=>Rt[t](e),D=(t,{head_dim:e})=>`keys and values: 2 · ${k(t,"head")} · head_dim ${e}`,Tt={full:t=>D(t.num_heads,t),grouped:t=>D(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>e?`latent dim ${t} + RoPE dim ${e}, together ${t+e}`:`latent dim ${t}`,window:t=>D(t.num_heads,t),sinks:t=>D(t.num_heads,t),state:({num_heads:t,head_dim:e})=>`${k(t,"head")} · ${e} × ${e}`};function Pt(t,e,o){let n=e.num_layers>1?`${e.num_layers} layers · `:"",r=t==="state"?e.state_itemsize:e.itemsize;return`${n}${Tt[t](e)} · ${k(r,"byte")} per element = ${v(o)}`}function ot({read:t,kind:e},{chosen:o,last:n},{tokens:r,sizes:s}){let{rows:i,each:l,bytes:p}=o,u=Pt(e,s,l),a=[[r[t-1],"query"],[` is the query, token ${t}. `]];if(e==="state")return[...a,..._t(t,u,p)];let d=r.filter((x,h)=>n[h]==="dropped"),f=d.length?`No longer visible: ${d.join(", ")}.`:"All of them are visible.";return[...a,[`Cached: ${i} of ${k(t,"token")}`,"key"],[` × ${v(l)} = ${v(p)} bytes (${u}). ${f}`]]}function _t(t,e,o){let n=t===1?"the token":`all ${t} tokens`;return[[`State: ${v(o)} bytes, however many tokens (${e}). `],[`The outer products of keys and values of ${n} are summed into it`,"value"],[t===1?".":": none can be looked up on its own."]]}function rt(t,{x:e,y:o,cell:n,rows:r,columns:s,size:i=14}){let l=n.width<1.56*i?-90:-45,p=`font-size:${i}px`,u=Math.round(.34*i);r.forEach((a,d)=>{let f={x:e-8,y:o+(d+.5)*n.height+u};c(t,"text",{class:"e",style:p,...f},O(a,8))}),s.forEach((a,d)=>{let x=`translate(${e+(d+.5)*n.width+u-1},${o-7})rotate(${l})`;c(t,"text",{style:p,transform:x},O(a,8))})}var it=360,R=78,I=66,Ot=30,qt={kept:{fill:"var(--key)","fill-opacity":.75},overlaid:{fill:"var(--value)","fill-opacity":.45},dropped:{fill:"currentColor","fill-opacity":.05},later:{fill:"none","fill-opacity":0}},Kt=[["kept","visible"],["dropped","evicted"],["overlaid","summed into the state"]];function st(t,{data:{tokens:e}}){let o=e.length,n=c(t,"div",{class:"seen"});c(n,"div",{class:"caption"},"which query (row) can see which key (column)");let r=L((it-R-Ot)/o,10,30),s=I+o*r+34,i=c(n,"svg",{class:"glides",viewBox:`0 0 ${it} ${s}`});m(i,{"aria-hidden":"true"}),rt(i,{x:R,y:I,cell:{width:r,height:r},rows:e,columns:e});let p=e.map((a,d)=>e.map((f,x)=>Wt(i,d,x,r))),u=c(i,"rect",{class:"mark",stroke:"var(--query)",x:R-2,rx:3});return m(u,{height:r+2}),Gt(i,I+o*r+12),({read:a},{map:d})=>{p.forEach((f,x)=>f.forEach((h,y)=>at(h,d[x][y],x===a-1))),m(u,{y:I+(a-1)*r-1,width:a*r+3})}}function Wt(t,e,o,n){let r={x:R+o*n,y:I+e*n},s={...r,width:n-1.5,height:n-1.5,rx:2},i=c(t,"rect",{...s,stroke:"currentColor"}),l=`M${r.x+2},${r.y+n-4}L${r.x+n-4},${r.y+2}`;return[i,c(t,"path",{d:l,stroke:"currentColor","stroke-width":1.2})]}function at([t,e],o,n){m(t,{...qt[o],"stroke-opacity":o==="dropped"?.45:0}),o==="kept"&&m(t,{"fill-opacity":n?1:.55}),m(e,{"stroke-opacity":o==="overlaid"?.7:0})}function Gt(t,e){let o=4;for(let[n,r]of Kt){let s=c(t,"g",{transform:`translate(${o},${e})`}),i=c(s,"rect",{width:16,height:16,rx:2,stroke:"currentColor"});at([i,c(s,"path",{d:"M2,14L14,2",stroke:"currentColor","stroke-width":1.2})],n,!1),c(s,"text",{x:22,y:13},r),o+=34+7.2*r.length}}var T=(t,{head_dim:e})=>2*t*e,Ft={full:t=>T(t.num_heads,t),grouped:t=>T(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>t+e,window:t=>T(t.num_heads,t),sinks:t=>T(t.num_heads,t),state:({num_heads:t,head_dim:e})=>t*e**2};function Yt(t,e){let o=t==="state"?e.state_itemsize:e.itemsize;return e.num_layers*Ft[t](e)*o}function lt(t,e,o,{window:n,sinks:r}){return o>e||t==="state"?!1:t!=="window"&&t!=="sinks"?!0:e-o<n||t==="sinks"&&o<r}function W(t,e,o){let n=Yt(t,o);if(t==="state")return{kind:t,rows:1,each:n,bytes:n};let s=Array.from({length:e},(i,l)=>lt(t,e-1,l,o)).filter(Boolean).length;return{kind:t,rows:s,each:n,bytes:s*n}}function ct(t,e,o,n){return o>e?"later":t==="state"?"overlaid":lt(t,e,o,n)?"kept":"dropped"}var dt=({step:t,kind:e})=>({read:t,kind:e}),P=(t,e,{tokens:o})=>({...t,read:L(e,1,o.length)});function pt({read:t,kind:e},{tokens:o,kinds:n,sizes:r}){let s=o.length,i=n.map(a=>W(a,t,r)),l=Math.max(...n.map(a=>W(a,s,r).bytes)),p=o.map((a,d)=>o.map((f,x)=>d<t?ct(e,d,x,r):"later")),u=o.map((a,d)=>ct(e,t-1,d,r));return{all:i,most:l,map:p,last:u,chosen:W(e,t,r)}}var ut=`
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
`;function ft(t,e){let o=Ht(t,e),n=c(t,"div",{class:"below"});return et(o,Ut(n,e),st(n,e))}var Bt={kept:"in the cache",dropped:"evicted",overlaid:"summed into the state",later:"not read yet"};function Ht(t,{data:e,act:o}){let{tokens:n}=e,r=c(t,"div",{class:"words"}),l=q(r,"tokens: which one is the newest?",(p,u,a)=>m(p,{},n[a]),p=>o(P,p+1,e));return({read:p},{last:u})=>l(n.length,p-1,(a,d)=>{let f=d===p-1;return[`${n[d]}: ${f?"the query, ":""}${Bt[u[d]]}`,u[d]+(f?" asks":"")]})}function Ut(t,{data:e,act:o}){let{kinds:n,sizes:r}=e,s=c(t,"div",{class:"kinds"});c(s,"div",{class:"caption"},"bytes in the cache (tokens × bytes per token), by kind of attention: choose one");let l=(a,d)=>{c(a,"span",{},K(n[d],r)),c(c(a,"span"),"i");let f=c(a,"b");c(f,"span"),c(f,"small")},p=a=>o(nt,{kind:n[a]}),u=q(c(s,"div"),"kinds of attention",l,p,!0);return({kind:a},{all:d,most:f})=>u(n.length,n.indexOf(a),(x,h)=>{let{rows:y,each:A,bytes:g}=d[h],[,w,C]=x.children,E=n[h]==="state"?"constant":`${y} × ${v(A)}`;m(w.firstChild,{style:`width:${100*g/f}%`}),m(C.firstChild,{},v(g)),m(C.lastChild,{},E);let N=`${K(n[h],r)}: ${v(g)} bytes, ${E}`,S=n[h]==="state"?"state":"";return n[h]===a?[`${N}, shown`,`${S} shown`.trim()]:[N,S]})}var Vt=1300;function Xt(t,e){let o=e.data.tokens.length,r=J(t,e,{name:"tokens read",first:1,last:o,every:Vt,at:({read:s})=>s,go:P});return M(t,"Reset",e.reset),r}var Jt=()=>"Press Play: tokens arrive. Choose a kind of attention: which tokens stay visible?",mt=tt({begin:dt,compute:pt,controls:Xt,draw:ft,explain:ot,style:ut,hint:Jt});z("live-00000000",mt);
