// cf2c4131a361f82a9c6344e53b8943f5b3d50d81697b8abb87a39701e50cd54a
var G="http://www.w3.org/2000/svg";var P=t=>t.namespaceURI===G;function m(t,e,n){for(let[o,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(o):t.setAttribute(o,r);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function l(t,e,n={},o){let a=e==="svg"||P(t)?document.createElementNS(G,e):document.createElement(e);return m(a,n,o),t.append(a),a}var K=t=>l(t,"div",{class:"bar"});function gt(t,e,n,o){let r=l(l(t,"label",{},e),"input",n);return r.addEventListener("input",()=>o(r)),r}var W=(t,e,{step:n=1,...o},r)=>gt(t,e,{type:"range",step:n,...o},a=>r(Number(a.value)));var F=(t,e={})=>l(t,"span",{"aria-hidden":"true",...e});function Y(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function M(t,e,n){let o=l(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function B(t){let e=l(t,"p",{"aria-live":"polite"}),n="";return o=>{let r=o.map(a=>a[0]).join("");r!==n&&(n=r,e.replaceChildren(...o.map(a=>wt(...a))),e.offsetHeight&&(e.style.minHeight=`${e.offsetHeight}px`))}}function wt(t,e){let n=document.createElement("span");return n.textContent=t,e&&m(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var yt=220,V=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${yt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function bt(t,e,{name:n="Play",every:o=400,...r}){let{next:a,rewind:i,ended:c,held:p=()=>!1}=r,d=0,s=M(t,`▶ ${n}`,()=>d?u():x());function u(){clearInterval(d),d=0,U(t,!1),m(s,{},`▶ ${n}`)}function f(){if(!s.isConnected)return u();c(a(e.state))&&u(),e.act(a)}function x(){c(e.state)&&e.act(i),d=setInterval(f,o),U(t,o<=1e3),m(s,{},"❚❚ Pause"),p(e.state)||f()}for(let h of["input","click"])t.addEventListener(h,y=>d&&y.target!==s&&u())}var U=(t,e)=>m(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});function X(t,e,{name:n,first:o=0,last:r,every:a,at:i,go:c,names:p}){let{act:d,data:s}=e,u=g=>d(c,g,s);bt(t,e,{every:a,next:g=>c(g,i(g)+1,s),rewind:g=>c(g,o,s),ended:g=>i(g)===r,held:g=>!!p&&i(g)===o});let f=(g,w)=>M(t,g,()=>u(i(e.state)+w)),x=!p&&f("◀ back",-1),h=!p&&f("forward ▶",1),y=W(t,n,{min:o,max:r,style:p?"width:240px":null},u),S=p&&F(t,{class:"b"});return g=>{let w=i(g);Y(y,w),p?(m(y,{"aria-valuetext":p[w]}),m(S,{},p[w])):(m(x,{"aria-disabled":w===o}),m(h,{"aria-disabled":w===r}))}}var J=`
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
`;var kt=".reveal",vt=/^Page/,$t="[role],[type=range]",Q="data-lm-suppress-shortcuts",Et={click:"button, summary",change:"select, [type=checkbox]"};function Z(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||Lt(this,e)}};customElements.define(t,n);let o=r=>r.target.localName===t&&r.target.toggleAttribute(Q,!z(r));addEventListener("keydown",o,!0)}var z=({key:t,ctrlKey:e,metaKey:n,shiftKey:o})=>t==="Enter"?o||e:t==="s"&&(e||n);function Lt(t,e){let n={...JSON.parse(t.dataset.live),deck:t.closest(kt)!==null},o=t.attachShadow({mode:"open"});l(o,"style",{},J);let r=l(o,"div",{class:"live",role:"group","aria-label":n.title});for(let i in n.roles)r.style.setProperty(`--${i}`,n.roles[i]);e(r,n),m(t,{[Q]:"","data-prevent-swipe":""}),St(o,t,n.deck);let a=t.previousElementSibling;a?.classList.contains("live-fallback")&&t.append(a)}function St(t,e,n){let o=!1,r=!1;t.addEventListener("pointerdown",()=>o=!0);let a=i=>{r=n&&At(i,o),r&&i.preventDefault(),o=!1};t.addEventListener("keydown",a,!0),t.addEventListener("keydown",i=>{if(!(i.ctrlKey||i.metaKey||i.altKey||i.key==="Tab")){if(z(i))return T(e);r||i.stopPropagation(),(r||i.key==="Escape")&&T(e)}});for(let[i,c]of Object.entries(Et)){let p=({target:d})=>n&&o&&d.matches(c);t.addEventListener(i,d=>p(d)&&T(e),!0)}}var At=({key:t,target:e},n)=>vt.test(t)||n&&/^Arrow[LR]/.test(t)&&e.matches($t);function T(t){t.shadowRoot.activeElement?.blur(),t.closest("[tabindex]")?.focus()}function j({prepare:t=c=>c,begin:e,compute:n,controls:o,draw:r,explain:a,...i}){let{style:c,sizes:p=()=>[0],hint:d}=i;return(s,u)=>{let f=t(u),x=p(f);c&&l(s,"style",{},c);let h={data:f,state:e(f),act:C,reset:()=>C(()=>e(f))},y=o(K(s),h),S=B(s),g=l(s,"div",{class:"picture"}),w=null;A(x.at(-1)),d&&Mt(s,d(f));function A(b){h.width=b,g.replaceChildren(),w=r(g,h)}function E(){let{state:b}=h,v=n(b,f);y(b),w(b,v),S(a(b,v,f))}let I=Nt(E);function C(b,...v){h.state=b(h.state,...v),I()}E(),Ct(s,b=>{m(s.querySelector("[aria-live]"),{style:null});let v=x.findLast(xt=>xt<=b)??x[0];v!==h.width&&(A(v),E())})}}function Ct(t,e){let n=([{contentRect:o}])=>o.width&&e(o.width);new ResizeObserver(n).observe(t)}function Mt(t,e){let n=l(t,"p",{class:"hint"},e);for(let o of["pointerdown","keydown","input"]){let r=a=>a.key!=="Tab"&&m(n,{class:"hint gone"});t.addEventListener(o,r)}}function Nt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var tt=(...t)=>(...e)=>t.forEach(n=>n(...e)),et=(t,e)=>({...t,...e});var O=(t,e)=>t.length>e?t.slice(0,e-1)+"…":t,L=(t,e,n)=>Math.max(e,Math.min(n,t));var It={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function Dt(t,e,n,o,r){let a=P(t)?"g":"div",i=l(t,a,{role:"grid","aria-label":e}),c=n.map((d,s)=>{let u=l(i,a,{role:"row"});return Array.from({length:d},(f,x)=>{let h=l(u,a,{role:"gridcell",tabindex:s+x?-1:0});return h.at=[s,x],o(h,s,x),h})});return Rt(i,c,d=>{for(let s of c.flat())m(s,{tabindex:s.at===d?0:-1});r(...d)}),c}function q(t,e,n,o,r=!1){let a=[];return(i,c,p)=>{if(a.length!==i){t.replaceChildren();let d=r?Array(i).fill(1):[i];a=Dt(t,e,d,n,(s,u)=>o(s+u)).flat()}a.forEach((d,s)=>{let[u,f]=p(d,s);m(d,{"aria-label":u,class:f||null,tabindex:s===c?0:-1})})}}function Rt(t,e,n){let o=i=>i.target.closest("[role=gridcell]")?.at,r=(i,c)=>c[L(i,0,c.length-1)],a=(i,c)=>{let p=r(c,r(i,e));p.focus(),n(p.at)};t.getRootNode().addEventListener("focusin",i=>{t.contains(i.target)&&n(o(i))}),t.addEventListener("click",i=>o(i)&&a(...o(i))),t.addEventListener("keydown",i=>{let c=It[i.key];if(!c||i.shiftKey||i.defaultPrevented)return;i.preventDefault();let[p,d]=o(i);a(p+c[0],d+c[1])})}var $=(t,e)=>`${t} ${e}${t===1?"":"s"}`,k=t=>String(t).replace(/(?=(\d{3})+$)(?!^)/g,","),Pt={full:({num_heads:t})=>`multi-head (MHA), ${$(t,"head")}`,grouped:({num_kv_heads:t})=>`grouped (GQA), ${$(t,"KV head")}`,latent:({latent_dim:t,rope_dim:e})=>`latent (MLA), dim ${t} + RoPE dim ${e}`,window:({window:t})=>`sliding window of ${t}`,sinks:({window:t,sinks:e})=>`window of ${t} + ${$(e,"sink")}`,state:({num_heads:t,head_dim:e})=>`linear attention, ${$(t,"head")} of ${e} × ${e}`},_=(t,e)=>Pt[t](e),nt=t=>({head_dim:e,[t]:n})=>`keys and values: 2 · ${$(n,"head")} · head_dim ${e}`,Tt={grouped:nt("num_kv_heads"),latent:({latent_dim:t,rope_dim:e})=>`latent dim ${t} + RoPE dim ${e}, together ${t+e}`,state:({num_heads:t,head_dim:e})=>`${$(t,"head")} · ${e} × ${e}`},Ot=(t,e,n)=>`${(Tt[t]??nt("num_heads"))(e)} · ${e.itemsize} bytes per element = ${k(n)}`;function ot({read:t,kind:e},{chosen:n,last:o},{tokens:r,sizes:a}){let{rows:i,each:c,bytes:p}=n,d=Ot(e,a,c),s=[[r[t-1],"query"],[` is the query, token ${t}. `]];if(e==="state")return[...s,...qt(t,d,p)];let u=r.filter((x,h)=>o[h]==="dropped"),f=u.length?`No longer visible: ${u.join(", ")}.`:"All of them are visible.";return[...s,[`Cached: ${i} of ${$(t,"token")}`,"key"],[` × ${k(c)} = ${k(p)} bytes (${d}). ${f}`]]}function qt(t,e,n){let o=t===1?"the token":`all ${t} tokens`;return[[`State: ${k(n)} bytes, however many tokens (${e}). `],[`The outer products of keys and values of ${o} are summed into it`,"value"],[t===1?".":": none can be looked up on its own."]]}function rt(t,{x:e,y:n,cell:o,rows:r,columns:a,size:i=14}){let c=o.width<1.56*i?-90:-45,p=`font-size:${i}px`,d=Math.round(.34*i);r.forEach((s,u)=>{let f={x:e-8,y:n+(u+.5)*o.height+d};l(t,"text",{class:"e",style:p,...f},O(s,8))}),a.forEach((s,u)=>{let x=`translate(${e+(u+.5)*o.width+d-1},${n-7})rotate(${c})`;l(t,"text",{style:p,transform:x},O(s,8))})}var it=360,D=78,N=66,_t=30,Ht={kept:{fill:"var(--key)","fill-opacity":.75},overlaid:{fill:"var(--value)","fill-opacity":.45},dropped:{fill:"currentColor","fill-opacity":.05},later:{fill:"none","fill-opacity":0}},Gt=[["kept","visible"],["dropped","evicted"],["overlaid","summed into the state"]];function st(t,{data:{tokens:e}}){let n=e.length,o=l(t,"div",{class:"seen"});l(o,"div",{class:"caption"},"which query (row) can see which key (column)");let r=L((it-D-_t)/n,10,30),a=N+n*r+34,i=l(o,"svg",{class:"glides",viewBox:`0 0 ${it} ${a}`});m(i,{"aria-hidden":"true"}),rt(i,{x:D,y:N,cell:{width:r,height:r},rows:e,columns:e});let p=e.map((s,u)=>e.map((f,x)=>Kt(i,u,x,r))),d=l(i,"rect",{class:"mark",stroke:"var(--query)",x:D-2,rx:3});return m(d,{height:r+2}),Wt(i,N+n*r+12),({read:s},{map:u})=>{p.forEach((f,x)=>f.forEach((h,y)=>at(h,u[x][y],x===s-1))),m(d,{y:N+(s-1)*r-1,width:s*r+3})}}function Kt(t,e,n,o){let r={x:D+n*o,y:N+e*o},a={...r,width:o-1.5,height:o-1.5,rx:2},i=l(t,"rect",{...a,stroke:"currentColor"}),c=`M${r.x+2},${r.y+o-4}L${r.x+o-4},${r.y+2}`;return[i,l(t,"path",{d:c,stroke:"currentColor","stroke-width":1.2})]}function at([t,e],n,o){m(t,{...Ht[n],"stroke-opacity":n==="dropped"?.45:0}),n==="kept"&&m(t,{"fill-opacity":o?1:.55}),m(e,{"stroke-opacity":n==="overlaid"?.7:0})}function Wt(t,e){let n=4;for(let[o,r]of Gt){let a=l(t,"g",{transform:`translate(${n},${e})`}),i=l(a,"rect",{width:16,height:16,rx:2,stroke:"currentColor"});at([i,l(a,"path",{d:"M2,14L14,2",stroke:"currentColor","stroke-width":1.2})],o,!1),l(a,"text",{x:22,y:13},r),n+=34+7.2*r.length}}var lt=t=>e=>2*e[t]*e.head_dim,Ft={grouped:lt("num_kv_heads"),latent:({latent_dim:t,rope_dim:e})=>t+e,state:({num_heads:t,head_dim:e})=>t*e**2},Yt=(t,e)=>(Ft[t]??lt("num_heads"))(e)*e.itemsize;function dt(t,e,n,{window:o,sinks:r}){return n>e||t==="state"?!1:t!=="window"&&t!=="sinks"?!0:e-n<o||t==="sinks"&&n<r}function H(t,e,n){let o=Yt(t,n);if(t==="state")return{kind:t,rows:1,each:o,bytes:o};let a=Array.from({length:e},(i,c)=>dt(t,e-1,c,n)).filter(Boolean).length;return{kind:t,rows:a,each:o,bytes:a*o}}function ct(t,e,n,o){return n>e?"later":t==="state"?"overlaid":dt(t,e,n,o)?"kept":"dropped"}var pt=({step:t,kind:e})=>({read:t,kind:e}),R=(t,e,{tokens:n})=>({...t,read:L(e,1,n.length)});function ut({read:t,kind:e},{tokens:n,kinds:o,sizes:r}){let a=n.length,i=o.map(s=>H(s,t,r)),c=Math.max(...o.map(s=>H(s,a,r).bytes)),p=n.map((s,u)=>n.map((f,x)=>u<t?ct(e,u,x,r):"later")),d=n.map((s,u)=>ct(e,t-1,u,r));return{all:i,most:c,map:p,last:d,chosen:H(e,t,r)}}var ft=`
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
`;function mt(t,e){let n=Ut(t,e),o=l(t,"div",{class:"below"});return tt(n,Vt(o,e),st(o,e))}var Bt={kept:"in the cache",dropped:"evicted",overlaid:"summed into the state",later:"not read yet"};function Ut(t,{data:e,act:n}){let{tokens:o}=e,r=l(t,"div",{class:"words"}),c=q(r,"tokens: which one is the newest?",(p,d,s)=>m(p,{},o[s]),p=>n(R,p+1,e));return({read:p},{last:d})=>c(o.length,p-1,(s,u)=>{let f=u===p-1;return[`${o[u]}: ${f?"the query, ":""}${Bt[d[u]]}`,d[u]+(f?" asks":"")]})}function Vt(t,{data:e,act:n}){let{kinds:o,sizes:r}=e,a=l(t,"div",{class:"kinds"});l(a,"div",{class:"caption"},"bytes in the cache (tokens × bytes per token), by kind of attention: choose one");let c=(s,u)=>{l(s,"span",{},_(o[u],r)),l(l(s,"span"),"i");let f=l(s,"b");l(f,"span"),l(f,"small")},p=s=>n(et,{kind:o[s]}),d=q(l(a,"div"),"kinds of attention",c,p,!0);return({kind:s},{all:u,most:f})=>d(o.length,o.indexOf(s),(x,h)=>{let{rows:y,each:S,bytes:g}=u[h],[,w,A]=x.children,E=o[h]==="state"?"constant":`${y} × ${k(S)}`;m(w.firstChild,{style:`width:${100*g/f}%`}),m(A.firstChild,{},k(g)),m(A.lastChild,{},E);let I=`${_(o[h],r)}: ${k(g)} bytes, ${E}`,C=o[h]==="state"?"state":"";return o[h]===s?[`${I}, shown`,`${C} shown`.trim()]:[I,C]})}var Xt=1300;function Jt(t,e){let n=e.data.tokens.length,r=X(t,e,{name:"tokens read",first:1,last:n,every:Xt,at:({read:a})=>a,go:R});return M(t,"Reset",e.reset),r}var Qt=()=>"Press Play: tokens arrive. Choose a kind of attention: which tokens stay visible?",ht=j({begin:pt,compute:ut,controls:Jt,draw:mt,explain:ot,style:ft,hint:Qt});Z("live-00000000",ht);
