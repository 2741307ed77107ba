// 77486dd42c4902280a02637753ec3bf29fe7501891ef048a72d5fe63bc8c191e
var G="http://www.w3.org/2000/svg";var P=t=>t.namespaceURI===G;function f(t,e,o){for(let[n,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(n):t.setAttribute(n,r);return o!==void 0&&t.textContent!==String(o)&&(t.textContent=o),t}function l(t,e,o={},n){let s=e==="svg"||P(t)?document.createElementNS(G,e):document.createElement(e);return f(s,o,n),t.append(s),s}var F=t=>l(t,"div",{class:"bar"});function xt(t,e,o,n){let r=l(l(t,"label",{},e),"input",o);return r.addEventListener("input",()=>n(r)),r}var Y=(t,e,{step:o=1,...n},r)=>xt(t,e,{type:"range",step:o,...n},s=>r(Number(s.value)));var B=(t,e={})=>l(t,"span",{"aria-hidden":"true",...e});function U(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function S(t,e,o){let n=l(t,"button",{type:"button"},e);return n.addEventListener("click",o),n}function H(t){let e=l(t,"p",{"aria-live":"polite"}),o="";return n=>{let r=n.map(s=>s[0]).join("");r!==o&&(o=r,e.replaceChildren(...n.map(s=>gt(...s))))}}function gt(t,e){let o=document.createElement("span");return o.textContent=t,e&&f(o,{class:"role",style:`text-decoration-color: var(--${e})`}),o}var wt=220,X=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${wt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function yt(t,e,{name:o="Play",every:n=400,...r}){let{next:s,rewind:i,ended:d,held:u=()=>!1}=r,c=0,a=S(t,`▶ ${o}`,()=>c?p():h());function p(){clearInterval(c),c=0,V(t,!1),f(a,{},`▶ ${o}`)}function m(){if(!a.isConnected)return p();d(s(e.state))&&p(),e.act(s)}function h(){d(e.state)&&e.act(i),c=setInterval(m,n),V(t,n<=1e3),f(a,{},"❚❚ Pause"),u(e.state)||m()}for(let x of["input","click"])t.addEventListener(x,y=>c&&y.target!==a&&p())}var V=(t,e)=>f(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});function J(t,e,{name:o,first:n=0,last:r,every:s,at:i,go:d,names:u}){let{act:c,data:a}=e,p=g=>c(d,g,a);yt(t,e,{every:s,next:g=>d(g,i(g)+1,a),rewind:g=>d(g,n,a),ended:g=>i(g)===r,held:g=>!!u&&i(g)===n});let m=(g,w)=>S(t,g,()=>p(i(e.state)+w)),h=!u&&m("◀ back",-1),x=!u&&m("forward ▶",1),y=Y(t,o,{min:n,max:r,style:u?"width:240px":null},p),v=u&&B(t,{class:"b"});return g=>{let w=i(g);U(y,w),u?(f(y,{"aria-valuetext":u[w]}),f(v,{},u[w])):(f(h,{"aria-disabled":w===n}),f(x,{"aria-disabled":w===r}))}}var Q=`
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
`;var Z=".reveal",bt=["PageUp","PageDown"],kt=/^Arrow[LR]/,vt="[role],[type=range]",$t={click:"button, summary",change:"select, [type=checkbox]"};function z(t,e){if(customElements.get(t))return;let o=class extends HTMLElement{connectedCallback(){this.shadowRoot||Et(this,e)}};customElements.define(t,o)}function Et(t,e){let o=JSON.parse(t.dataset.live),n=t.attachShadow({mode:"open"});l(n,"style",{},Q);let r=l(n,"div",{class:"live",role:"group","aria-label":o.title});for(let i in o.roles)r.style.setProperty(`--${i}`,o.roles[i]);e(r,o),f(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),Lt(n,t);let s=t.previousElementSibling;s?.classList.contains("live-fallback")&&t.append(s)}function Lt(t,e){let o=!1;t.addEventListener("pointerdown",()=>o=!0),t.addEventListener("keydown",n=>{let r=e.closest(Z)&&At(n,o);o=!1,!(n.ctrlKey||n.metaKey||n.altKey||n.key==="Tab")&&(r||n.stopPropagation(),(r||n.key==="Escape")&&j(e))});for(let[n,r]of Object.entries($t)){let s=({target:i})=>o&&i.matches(r)&&e.closest(Z);t.addEventListener(n,i=>s(i)&&j(e),{capture:!0})}}var At=({key:t,target:e},o)=>bt.includes(t)||o&&kt.test(t)&&e.matches(vt);function j(t){t.shadowRoot.activeElement?.blur(),t.parentElement?.closest("[tabindex]")?.focus()}function tt({prepare:t=d=>d,begin:e,compute:o,controls:n,draw:r,explain:s,...i}){let{style:d,sizes:u=()=>[0],hint:c}=i;return(a,p)=>{let m=t(p),h=u(m);d&&l(a,"style",{},d);let x={data:m,state:e(m),act:W,reset:()=>W(()=>e(m))},y=n(F(a),x),v=H(a),g=l(a,"div",{class:"picture"}),w=null;C(h.at(-1)),c&&St(a,c(m));function C(b){x.width=b,g.replaceChildren(),w=r(g,x)}function L(){let{state:b}=x,$=o(b,m);y(b),w(b,$),v(s(b,$,m))}let I=Mt(L);function W(b,...$){x.state=b(x.state,...$),I()}L(),Ct(a,b=>{let $=h.findLast(ht=>ht<=b)??h[0];$!==x.width&&(C($),L())})}}function Ct(t,e){let o=([{contentRect:n}])=>n.width&&e(n.width);new ResizeObserver(o).observe(t)}function St(t,e){let o=l(t,"p",{class:"hint"},e);for(let n of["pointerdown","keydown","input"]){let r=s=>s.key!=="Tab"&&f(o,{class:"hint gone"});t.addEventListener(n,r)}}function Mt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var et=(...t)=>(...e)=>t.forEach(o=>o(...e)),nt=(t,e)=>({...t,...e});var _=(t,e)=>t.length>e?t.slice(0,e-1)+"…":t,A=(t,e,o)=>Math.max(e,Math.min(o,t));var It={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function Nt(t,e,o,n,r){let s=P(t)?"g":"div",i=l(t,s,{role:"grid","aria-label":e}),d=o.map((c,a)=>{let p=l(i,s,{role:"row"});return Array.from({length:c},(m,h)=>{let x=l(p,s,{role:"gridcell",tabindex:a+h?-1:0});return x.at=[a,h],n(x,a,h),x})});return Dt(i,d,c=>{for(let a of d.flat())f(a,{tabindex:a.at===c?0:-1});r(...c)}),d}function O(t,e,o,n,r=!1){let s=[];return(i,d,u)=>{if(s.length!==i){t.replaceChildren();let c=r?Array(i).fill(1):[i];s=Nt(t,e,c,o,(a,p)=>n(a+p)).flat()}s.forEach((c,a)=>{let[p,m]=u(c,a);f(c,{"aria-label":p,class:m||null,tabindex:a===d?0:-1})})}}function Dt(t,e,o){let n=i=>i.target.closest("[role=gridcell]")?.at,r=(i,d)=>d[A(i,0,d.length-1)],s=(i,d)=>{let u=r(d,r(i,e));u.focus(),o(u.at)};t.getRootNode().addEventListener("focusin",i=>{t.contains(i.target)&&o(n(i))}),t.addEventListener("click",i=>n(i)&&s(...n(i))),t.addEventListener("keydown",i=>{let d=It[i.key];if(!d||i.shiftKey)return;i.preventDefault();let[u,c]=n(i);s(u+d[0],c+d[1])})}var E=(t,e)=>`${t} ${e}${t===1?"":"s"}`,k=t=>String(t).replace(/(?=(\d{3})+$)(?!^)/g,","),Tt={full:({num_heads:t})=>`full, ${E(t,"head")}`,grouped:({num_kv_heads:t})=>`grouped (GQA), ${E(t,"KV head")}`,latent:({latent_dim:t,rope_dim:e})=>e?`latent (MLA), ${t} + ${e} numbers`:`latent (MLA), ${t} numbers`,window:({window:t})=>`sliding window, ${t}`,sinks:({window:t,sinks:e})=>`window of ${t}, ${E(e,"sink")}`,state:({head_dim:t})=>`recurrent state, ${t} × ${t}`},q=(t,e)=>Tt[t](e),N=(t,{head_dim:e})=>`keys and values: 2 · ${E(t,"head")} · ${e} numbers`,Rt={full:t=>N(t.num_heads,t),grouped:t=>N(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>e?`a latent of ${t} numbers and a rotary part of ${e}, together ${t+e}`:`a latent: ${t} numbers`,window:t=>N(t.num_heads,t),sinks:t=>N(t.num_heads,t),state:({num_heads:t,head_dim:e})=>`${E(t,"head")} · ${e} · ${e} numbers`};function Pt(t,e,o){let n=e.num_layers>1?`${e.num_layers} layers · `:"",r=t==="state"?e.state_itemsize:e.itemsize;return`${n}${Rt[t](e)} · ${E(r,"byte")} = ${k(o)}`}function ot({read:t,kind:e},{chosen:o,last:n},{tokens:r,sizes:s}){let{rows:i,each:d,bytes:u}=o,c=Pt(e,s,d),a=[[r[t-1],"query"],[` is the query, token ${t}. `]];if(e==="state")return[...a,..._t(t,c,u)];let p=r.filter((h,x)=>n[x]==="dropped"),m=p.length?`No longer visible: ${p.join(", ")}.`:"All of them are visible.";return[...a,[`Cached: ${i} of ${E(t,"token")}`,"key"],[` × ${k(d)} = ${k(u)} bytes (${c}). ${m}`]]}function _t(t,e,o){let n=t===1?"The token is":`All ${t} tokens are`;return[[`State: ${k(o)} bytes, however many tokens (${e}). `],[`${n} added into it`,"value"],[t===1?".":": none has a row of its own."]]}function rt(t,{x:e,y:o,cell:n,rows:r,columns:s,size:i=14}){let d=n.width<1.56*i?-90:-45,u=`font-size:${i}px`,c=Math.round(.34*i);r.forEach((a,p)=>{let m={x:e-8,y:o+(p+.5)*n.height+c};l(t,"text",{class:"e",style:u,...m},_(a,8))}),s.forEach((a,p)=>{let h=`translate(${e+(p+.5)*n.width+c-1},${o-7})rotate(${d})`;l(t,"text",{style:u,transform:h},_(a,8))})}var it=360,D=78,M=66,Ot=30,qt={kept:{fill:"var(--key)","fill-opacity":.75},overlaid:{fill:"var(--value)","fill-opacity":.45},dropped:{fill:"currentColor","fill-opacity":.05},later:{fill:"none","fill-opacity":0}},Kt=[["kept","visible"],["dropped","evicted"],["overlaid","in the state"]];function st(t,{data:{tokens:e}}){let o=e.length,n=l(t,"div",{class:"seen"});l(n,"div",{class:"caption"},"which query (row) can see which key (column)");let r=A((it-D-Ot)/o,10,30),s=M+o*r+34,i=l(n,"svg",{class:"glides",viewBox:`0 0 ${it} ${s}`});f(i,{"aria-hidden":"true"}),rt(i,{x:D,y:M,cell:{width:r,height:r},rows:e,columns:e});let u=e.map((a,p)=>e.map((m,h)=>Wt(i,p,h,r))),c=l(i,"rect",{class:"mark",stroke:"var(--query)",x:D-2,rx:3});return f(c,{height:r+2}),Gt(i,M+o*r+12),({read:a},{map:p})=>{u.forEach((m,h)=>m.forEach((x,y)=>at(x,p[h][y],h===a-1))),f(c,{y:M+(a-1)*r-1,width:a*r+3})}}function Wt(t,e,o,n){let r={x:D+o*n,y:M+e*n},s={...r,width:n-1.5,height:n-1.5,rx:2},i=l(t,"rect",{...s,stroke:"currentColor"}),d=`M${r.x+2},${r.y+n-4}L${r.x+n-4},${r.y+2}`;return[i,l(t,"path",{d,stroke:"currentColor","stroke-width":1.2})]}function at([t,e],o,n){f(t,{...qt[o],"stroke-opacity":o==="dropped"?.45:0}),o==="kept"&&f(t,{"fill-opacity":n?1:.55}),f(e,{"stroke-opacity":o==="overlaid"?.7:0})}function Gt(t,e){let o=4;for(let[n,r]of Kt){let s=l(t,"g",{transform:`translate(${o},${e})`}),i=l(s,"rect",{width:16,height:16,rx:2,stroke:"currentColor"});at([i,l(s,"path",{d:"M2,14L14,2",stroke:"currentColor","stroke-width":1.2})],n,!1),l(s,"text",{x:22,y:13},r),o+=48+7.2*r.length}}var T=(t,{head_dim:e})=>2*t*e,Ft={full:t=>T(t.num_heads,t),grouped:t=>T(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>t+e,window:t=>T(t.num_heads,t),sinks:t=>T(t.num_heads,t),state:({num_heads:t,head_dim:e})=>t*e**2};function Yt(t,e){let o=t==="state"?e.state_itemsize:e.itemsize;return e.num_layers*Ft[t](e)*o}function lt(t,e,o,{window:n,sinks:r}){return o>e||t==="state"?!1:t!=="window"&&t!=="sinks"?!0:e-o<n||t==="sinks"&&o<r}function K(t,e,o){let n=Yt(t,o);if(t==="state")return{kind:t,rows:1,each:n,bytes:n};let s=Array.from({length:e},(i,d)=>lt(t,e-1,d,o)).filter(Boolean).length;return{kind:t,rows:s,each:n,bytes:s*n}}function ct(t,e,o,n){return o>e?"later":t==="state"?"overlaid":lt(t,e,o,n)?"kept":"dropped"}var dt=({step:t,kind:e})=>({read:t,kind:e}),R=(t,e,{tokens:o})=>({...t,read:A(e,1,o.length)});function pt({read:t,kind:e},{tokens:o,kinds:n,sizes:r}){let s=o.length,i=n.map(a=>K(a,t,r)),d=Math.max(...n.map(a=>K(a,s,r).bytes)),u=o.map((a,p)=>o.map((m,h)=>p<t?ct(e,p,h,r):"later")),c=o.map((a,p)=>ct(e,t-1,p,r));return{all:i,most:d,map:u,last:c,chosen:K(e,t,r)}}var ut=`
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
`;function ft(t,e){let o=Ut(t,e),n=l(t,"div",{class:"below"});return et(o,Ht(n,e),st(n,e))}var Bt={kept:"in the cache",dropped:"evicted",overlaid:"added into the state",later:"not read yet"};function Ut(t,{data:e,act:o}){let{tokens:n}=e,r=l(t,"div",{class:"words"}),d=O(r,"tokens: which one is the newest?",(u,c,a)=>f(u,{},n[a]),u=>o(R,u+1,e));return({read:u},{last:c})=>d(n.length,u-1,(a,p)=>{let m=p===u-1;return[`${n[p]}: ${m?"the query, ":""}${Bt[c[p]]}`,c[p]+(m?" asks":"")]})}function Ht(t,{data:e,act:o}){let{kinds:n,sizes:r}=e,s=l(t,"div",{class:"kinds"});l(s,"div",{class:"caption"},"bytes in the cache, by kind of attention: choose one");let i=(c,a)=>{l(c,"span",{},q(n[a],r)),l(l(c,"span"),"i");let p=l(c,"b");l(p,"span"),l(p,"small")},d=c=>o(nt,{kind:n[c]}),u=O(l(s,"div"),"kinds of attention",i,d,!0);return({kind:c},{all:a,most:p})=>u(n.length,n.indexOf(c),(m,h)=>{let{rows:x,each:y,bytes:v}=a[h],[,g,w]=m.children,C=n[h]==="state"?"constant":`${x} × ${k(y)}`;f(g.firstChild,{style:`width:${100*v/p}%`}),f(w.firstChild,{},k(v)),f(w.lastChild,{},C);let L=`${q(n[h],r)}: ${k(v)} bytes, ${C}`,I=n[h]==="state"?"state":"";return n[h]===c?[`${L}, shown`,`${I} shown`.trim()]:[L,I]})}var Vt=1300;function Xt(t,e){let o=e.data.tokens.length,r=J(t,e,{name:"tokens read",first:1,last:o,every:Vt,at:({read:s})=>s,go:R});return S(t,"Reset",e.reset),r}var Jt=()=>"Play: tokens arrive. Choose a kind of attention: which stay visible?",mt=tt({begin:dt,compute:pt,controls:Xt,draw:ft,explain:ot,style:ut,hint:Jt});z("live-00000000",mt);
