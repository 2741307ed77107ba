// fd908a3711ff928284827fcc30c630093339958f9547bc7218c23205bad1e84f
var K="http://www.w3.org/2000/svg";var T=t=>t.namespaceURI===K;function m(t,e,n){for(let[o,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(o):t.setAttribute(o,r);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function c(t,e,n={},o){let a=e==="svg"||T(t)?document.createElementNS(K,e):document.createElement(e);return m(a,n,o),t.append(a),a}var W=t=>c(t,"div",{class:"bar"});function xt(t,e,n,o){let r=c(c(t,"label",{},e),"input",n);return r.addEventListener("input",()=>o(r)),r}var G=(t,e,{step:n=1,...o},r)=>xt(t,e,{type:"range",step:n,...o},a=>r(Number(a.value)));var B=(t,e={})=>c(t,"span",{"aria-hidden":"true",...e});function F(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function M(t,e,n){let o=c(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function Y(t){let e=c(t,"p",{"aria-live":"polite"}),n="";return o=>{let r=o.map(a=>a[0]).join("");r!==n&&(n=r,e.replaceChildren(...o.map(a=>gt(...a))),e.offsetHeight&&(e.style.minHeight=`${e.offsetHeight}px`))}}function gt(t,e){let n=document.createElement("span");return n.textContent=t,e&&m(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var wt=220,V=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${wt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function yt(t,e,{name:n="Play",every:o=400,...r}){let{next:a,rewind:i,ended:l,held:p=()=>!1}=r,u=0,s=M(t,`▶ ${n}`,()=>u?d():x());function d(){clearInterval(u),u=0,U(t,!1),m(s,{},`▶ ${n}`)}function f(){if(!s.isConnected)return d();l(a(e.state))&&d(),e.act(a)}function x(){l(e.state)&&e.act(i),u=setInterval(f,o),U(t,o<=1e3),m(s,{},"❚❚ Pause"),p(e.state)||f()}for(let h of["input","click"])t.addEventListener(h,y=>u&&y.target!==s&&d())}var U=(t,e)=>m(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});function X(t,e,{name:n,first:o=0,last:r,every:a,at:i,go:l,names:p}){let{act:u,data:s}=e,d=g=>u(l,g,s);yt(t,e,{every:a,next:g=>l(g,i(g)+1,s),rewind:g=>l(g,o,s),ended:g=>i(g)===r,held:g=>!!p&&i(g)===o});let f=(g,w)=>M(t,g,()=>d(i(e.state)+w)),x=!p&&f("◀ back",-1),h=!p&&f("forward ▶",1),y=G(t,n,{min:o,max:r,style:p?"width:240px":null},d),C=p&&B(t,{class:"b"});return g=>{let w=i(g);F(y,w),p?(m(y,{"aria-valuetext":p[w]}),m(C,{},p[w])):(m(x,{"aria-disabled":w===o}),m(h,{"aria-disabled":w===r}))}}var J=`
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
${V}
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
`;var P=".reveal",bt=["PageUp","PageDown"],kt=/^Arrow[LR]/,vt="[role],[type=range]",$t={click:"button, summary",change:"select, [type=checkbox]"};function z(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||Et(this,e)}};customElements.define(t,n)}function Et(t,e){let n={...JSON.parse(t.dataset.live),deck:!!t.closest(P)},o=t.attachShadow({mode:"open"});c(o,"style",{},J);let r=c(o,"div",{class:"live",role:"group","aria-label":n.title});for(let i in n.roles)r.style.setProperty(`--${i}`,n.roles[i]);e(r,n),m(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),Lt(o,t);let a=t.previousElementSibling;a?.classList.contains("live-fallback")&&t.append(a)}function Lt(t,e){let n=!1;t.addEventListener("pointerdown",()=>n=!0),t.addEventListener("keydown",o=>{let r=e.closest(P)&&Ct(o,n);n=!1,!(o.ctrlKey||o.metaKey||o.altKey||o.key==="Tab")&&(r||o.stopPropagation(),(r||o.key==="Escape")&&Q(e))});for(let[o,r]of Object.entries($t)){let a=({target:i})=>n&&i.matches(r)&&e.closest(P);t.addEventListener(o,i=>a(i)&&Q(e),{capture:!0})}}var Ct=({key:t,target:e},n)=>bt.includes(t)||n&&kt.test(t)&&e.matches(vt);function Q(t){t.shadowRoot.activeElement?.blur(),t.parentElement?.closest("[tabindex]")?.focus()}function Z({prepare:t=l=>l,begin:e,compute:n,controls:o,draw:r,explain:a,...i}){let{style:l,sizes:p=()=>[0],hint:u}=i;return(s,d)=>{let f=t(d),x=p(f);l&&c(s,"style",{},l);let h={data:f,state:e(f),act:S,reset:()=>S(()=>e(f))},y=o(W(s),h),C=Y(s),g=c(s,"div",{class:"picture"}),w=null;A(x.at(-1)),u&&St(s,u(f));function A(b){h.width=b,g.replaceChildren(),w=r(g,h)}function E(){let{state:b}=h,v=n(b,f);y(b),w(b,v),C(a(b,v,f))}let I=Mt(E);function S(b,...v){h.state=b(h.state,...v),I()}E(),At(s,b=>{m(s.querySelector("[aria-live]"),{style:null});let v=x.findLast(ht=>ht<=b)??x[0];v!==h.width&&(A(v),E())})}}function At(t,e){let n=([{contentRect:o}])=>o.width&&e(o.width);new ResizeObserver(n).observe(t)}function St(t,e){let n=c(t,"p",{class:"hint"},e);for(let o of["pointerdown","keydown","input"]){let r=a=>a.key!=="Tab"&&m(n,{class:"hint gone"});t.addEventListener(o,r)}}function Mt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var j=(...t)=>(...e)=>t.forEach(n=>n(...e)),tt=(t,e)=>({...t,...e});var O=(t,e)=>t.length>e?t.slice(0,e-1)+"…":t,L=(t,e,n)=>Math.max(e,Math.min(n,t));var Nt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function It(t,e,n,o,r){let a=T(t)?"g":"div",i=c(t,a,{role:"grid","aria-label":e}),l=n.map((u,s)=>{let d=c(i,a,{role:"row"});return Array.from({length:u},(f,x)=>{let h=c(d,a,{role:"gridcell",tabindex:s+x?-1:0});return h.at=[s,x],o(h,s,x),h})});return Dt(i,l,u=>{for(let s of l.flat())m(s,{tabindex:s.at===u?0:-1});r(...u)}),l}function q(t,e,n,o,r=!1){let a=[];return(i,l,p)=>{if(a.length!==i){t.replaceChildren();let u=r?Array(i).fill(1):[i];a=It(t,e,u,n,(s,d)=>o(s+d)).flat()}a.forEach((u,s)=>{let[d,f]=p(u,s);m(u,{"aria-label":d,class:f||null,tabindex:s===l?0:-1})})}}function Dt(t,e,n){let o=i=>i.target.closest("[role=gridcell]")?.at,r=(i,l)=>l[L(i,0,l.length-1)],a=(i,l)=>{let p=r(l,r(i,e));p.focus(),n(p.at)};t.getRootNode().addEventListener("focusin",i=>{t.contains(i.target)&&n(o(i))}),t.addEventListener("click",i=>o(i)&&a(...o(i))),t.addEventListener("keydown",i=>{let l=Nt[i.key];if(!l||i.shiftKey)return;i.preventDefault();let[p,u]=o(i);a(p+l[0],u+l[1])})}var $=(t,e)=>`${t} ${e}${t===1?"":"s"}`,k=t=>String(t).replace(/(?=(\d{3})+$)(?!^)/g,","),Rt={full:({num_heads:t})=>`multi-head (MHA), ${$(t,"head")}`,grouped:({num_kv_heads:t})=>`grouped (GQA), ${$(t,"KV head")}`,latent:({latent_dim:t,rope_dim:e})=>`latent (MLA), dim ${t} + RoPE dim ${e}`,window:({window:t})=>`sliding window of ${t}`,sinks:({window:t,sinks:e})=>`window of ${t} + ${$(e,"sink")}`,state:({num_heads:t,head_dim:e})=>`linear attention, ${$(t,"head")} of ${e} × ${e}`},_=(t,e)=>Rt[t](e),et=t=>({head_dim:e,[t]:n})=>`keys and values: 2 · ${$(n,"head")} · head_dim ${e}`,Tt={grouped:et("num_kv_heads"),latent:({latent_dim:t,rope_dim:e})=>`latent dim ${t} + RoPE dim ${e}, together ${t+e}`,state:({num_heads:t,head_dim:e})=>`${$(t,"head")} · ${e} × ${e}`},Pt=(t,e,n)=>`${(Tt[t]??et("num_heads"))(e)} · ${e.itemsize} bytes per element = ${k(n)}`;function nt({read:t,kind:e},{chosen:n,last:o},{tokens:r,sizes:a}){let{rows:i,each:l,bytes:p}=n,u=Pt(e,a,l),s=[[r[t-1],"query"],[` is the query, token ${t}. `]];if(e==="state")return[...s,...Ot(t,u,p)];let d=r.filter((x,h)=>o[h]==="dropped"),f=d.length?`No longer visible: ${d.join(", ")}.`:"All of them are visible.";return[...s,[`Cached: ${i} of ${$(t,"token")}`,"key"],[` × ${k(l)} = ${k(p)} bytes (${u}). ${f}`]]}function Ot(t,e,n){let o=t===1?"the token":`all ${t} tokens`;return[[`State: ${k(n)} bytes, however many tokens (${e}). `],[`The outer products of keys and values of ${o} are summed into it`,"value"],[t===1?".":": none can be looked up on its own."]]}function ot(t,{x:e,y:n,cell:o,rows:r,columns:a,size:i=14}){let l=o.width<1.56*i?-90:-45,p=`font-size:${i}px`,u=Math.round(.34*i);r.forEach((s,d)=>{let f={x:e-8,y:n+(d+.5)*o.height+u};c(t,"text",{class:"e",style:p,...f},O(s,8))}),a.forEach((s,d)=>{let x=`translate(${e+(d+.5)*o.width+u-1},${n-7})rotate(${l})`;c(t,"text",{style:p,transform:x},O(s,8))})}var rt=360,D=78,N=66,qt=30,_t={kept:{fill:"var(--key)","fill-opacity":.75},overlaid:{fill:"var(--value)","fill-opacity":.45},dropped:{fill:"currentColor","fill-opacity":.05},later:{fill:"none","fill-opacity":0}},Ht=[["kept","visible"],["dropped","evicted"],["overlaid","summed into the state"]];function it(t,{data:{tokens:e}}){let n=e.length,o=c(t,"div",{class:"seen"});c(o,"div",{class:"caption"},"which query (row) can see which key (column)");let r=L((rt-D-qt)/n,10,30),a=N+n*r+34,i=c(o,"svg",{class:"glides",viewBox:`0 0 ${rt} ${a}`});m(i,{"aria-hidden":"true"}),ot(i,{x:D,y:N,cell:{width:r,height:r},rows:e,columns:e});let p=e.map((s,d)=>e.map((f,x)=>Kt(i,d,x,r))),u=c(i,"rect",{class:"mark",stroke:"var(--query)",x:D-2,rx:3});return m(u,{height:r+2}),Wt(i,N+n*r+12),({read:s},{map:d})=>{p.forEach((f,x)=>f.forEach((h,y)=>st(h,d[x][y],x===s-1))),m(u,{y:N+(s-1)*r-1,width:s*r+3})}}function Kt(t,e,n,o){let r={x:D+n*o,y:N+e*o},a={...r,width:o-1.5,height:o-1.5,rx:2},i=c(t,"rect",{...a,stroke:"currentColor"}),l=`M${r.x+2},${r.y+o-4}L${r.x+o-4},${r.y+2}`;return[i,c(t,"path",{d:l,stroke:"currentColor","stroke-width":1.2})]}function st([t,e],n,o){m(t,{..._t[n],"stroke-opacity":n==="dropped"?.45:0}),n==="kept"&&m(t,{"fill-opacity":o?1:.55}),m(e,{"stroke-opacity":n==="overlaid"?.7:0})}function Wt(t,e){let n=4;for(let[o,r]of Ht){let a=c(t,"g",{transform:`translate(${n},${e})`}),i=c(a,"rect",{width:16,height:16,rx:2,stroke:"currentColor"});st([i,c(a,"path",{d:"M2,14L14,2",stroke:"currentColor","stroke-width":1.2})],o,!1),c(a,"text",{x:22,y:13},r),n+=34+7.2*r.length}}var ct=t=>e=>2*e[t]*e.head_dim,Gt={grouped:ct("num_kv_heads"),latent:({latent_dim:t,rope_dim:e})=>t+e,state:({num_heads:t,head_dim:e})=>t*e**2},Bt=(t,e)=>(Gt[t]??ct("num_heads"))(e)*e.itemsize;function lt(t,e,n,{window:o,sinks:r}){return n>e||t==="state"?!1:t!=="window"&&t!=="sinks"?!0:e-n<o||t==="sinks"&&n<r}function H(t,e,n){let o=Bt(t,n);if(t==="state")return{kind:t,rows:1,each:o,bytes:o};let a=Array.from({length:e},(i,l)=>lt(t,e-1,l,n)).filter(Boolean).length;return{kind:t,rows:a,each:o,bytes:a*o}}function at(t,e,n,o){return n>e?"later":t==="state"?"overlaid":lt(t,e,n,o)?"kept":"dropped"}var dt=({step:t,kind:e})=>({read:t,kind:e}),R=(t,e,{tokens:n})=>({...t,read:L(e,1,n.length)});function pt({read:t,kind:e},{tokens:n,kinds:o,sizes:r}){let a=n.length,i=o.map(s=>H(s,t,r)),l=Math.max(...o.map(s=>H(s,a,r).bytes)),p=n.map((s,d)=>n.map((f,x)=>d<t?at(e,d,x,r):"later")),u=n.map((s,d)=>at(e,t-1,d,r));return{all:i,most:l,map:p,last:u,chosen:H(e,t,r)}}var ut=`
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
`;function ft(t,e){let n=Yt(t,e),o=c(t,"div",{class:"below"});return j(n,Ut(o,e),it(o,e))}var Ft={kept:"in the cache",dropped:"evicted",overlaid:"summed into the state",later:"not read yet"};function Yt(t,{data:e,act:n}){let{tokens:o}=e,r=c(t,"div",{class:"words"}),l=q(r,"tokens: which one is the newest?",(p,u,s)=>m(p,{},o[s]),p=>n(R,p+1,e));return({read:p},{last:u})=>l(o.length,p-1,(s,d)=>{let f=d===p-1;return[`${o[d]}: ${f?"the query, ":""}${Ft[u[d]]}`,u[d]+(f?" asks":"")]})}function Ut(t,{data:e,act:n}){let{kinds:o,sizes:r}=e,a=c(t,"div",{class:"kinds"});c(a,"div",{class:"caption"},"bytes in the cache (tokens × bytes per token), by kind of attention: choose one");let l=(s,d)=>{c(s,"span",{},_(o[d],r)),c(c(s,"span"),"i");let f=c(s,"b");c(f,"span"),c(f,"small")},p=s=>n(tt,{kind:o[s]}),u=q(c(a,"div"),"kinds of attention",l,p,!0);return({kind:s},{all:d,most:f})=>u(o.length,o.indexOf(s),(x,h)=>{let{rows:y,each:C,bytes:g}=d[h],[,w,A]=x.children,E=o[h]==="state"?"constant":`${y} × ${k(C)}`;m(w.firstChild,{style:`width:${100*g/f}%`}),m(A.firstChild,{},k(g)),m(A.lastChild,{},E);let I=`${_(o[h],r)}: ${k(g)} bytes, ${E}`,S=o[h]==="state"?"state":"";return o[h]===s?[`${I}, shown`,`${S} shown`.trim()]:[I,S]})}var Vt=1300;function Xt(t,e){let n=e.data.tokens.length,r=X(t,e,{name:"tokens read",first:1,last:n,every:Vt,at:({read:a})=>a,go:R});return M(t,"Reset",e.reset),r}var Jt=()=>"Press Play: tokens arrive. Choose a kind of attention: which tokens stay visible?",mt=Z({begin:dt,compute:pt,controls:Xt,draw:ft,explain:nt,style:ut,hint:Jt});z("live-00000000",mt);
