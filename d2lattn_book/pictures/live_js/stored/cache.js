// a15e12ff6494249da36dd9dc1c39ed31a86caeca6bf2b460d8b6cabed88280b1
var F="http://www.w3.org/2000/svg";var P=t=>t.namespaceURI===F;function f(t,e,n){for(let[o,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(o):t.setAttribute(o,r);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function l(t,e,n={},o){let i=e==="svg"||P(t)?document.createElementNS(F,e):document.createElement(e);return f(i,n,o),t.append(i),i}var G=t=>l(t,"div",{class:"bar"});function xt(t,e,n,o){let r=l(l(t,"label",{},e),"input",n);return r.addEventListener("input",()=>o(r)),r}var Y=(t,e,{step:n=1,...o},r)=>xt(t,e,{type:"range",step:n,...o},i=>r(Number(i.value)));var U=(t,e={})=>l(t,"span",{"aria-hidden":"true",...e});function B(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function A(t,e,n){let o=l(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function H(t){let e=l(t,"p",{"aria-live":"polite"}),n="";return o=>{let r=o.map(i=>i[0]).join("");r!==n&&(n=r,e.replaceChildren(...o.map(i=>wt(...i))))}}function wt(t,e){let n=document.createElement("span");return n.textContent=t,e&&f(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var gt=220,X=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${gt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function bt(t,e,{name:n="Play",every:o=400,next:r,rewind:i,ended:s}){let c=0,d=A(t,`▶ ${n}`,()=>c?p():u());function p(){clearInterval(c),c=0,V(t,!1),f(d,{},`▶ ${n}`)}function a(){if(!d.isConnected)return p();s(r(e.state))&&p(),e.act(r)}function u(){s(e.state)&&e.act(i),c=setInterval(a,o),V(t,o<1e3),f(d,{},"❚❚ Pause"),a()}for(let m of["input","click"])t.addEventListener(m,h=>c&&h.target!==d&&p())}var V=(t,e)=>f(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});function J(t,e,{name:n,first:o=0,last:r,every:i,at:s,go:c,names:d}){let{act:p,data:a}=e,u=w=>p(c,w,a);bt(t,e,{every:i,next:w=>c(w,s(w)+1,a),rewind:w=>c(w,o,a),ended:w=>s(w)===r});let m=(w,g)=>A(t,w,()=>u(s(e.state)+g)),h=!d&&m("◀ back",-1),x=!d&&m("forward ▶",1),k=Y(t,n,{min:o,max:r,style:d?"width:240px":null},u),y=d&&U(t,{class:"b"});return w=>{let g=s(w);B(k,g),d?(f(k,{"aria-valuetext":d[g]}),f(y,{},d[g])):(f(h,{"aria-disabled":g===o}),f(x,{"aria-disabled":g===r}))}}var Q=`
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
@media (pointer: coarse) and (max-width: 600px) { /* a finger, and on a telephone there is no slide */
  .bar :is(input, select, button) { min-height: 36px; }
  .hint { font-size: 15px; }
}
@media print {
  :host { break-inside: avoid; }
  .bar, .hint { display: none; }
  .scroll { overflow: visible; }
  .stage { min-width: 0 !important; }
}
`;var yt=".reveal",Z=".reveal, .jp-Deck",kt=["PageUp","PageDown"],vt=/^Arrow[LR]/,$t="[role],[type=range]",Et={click:"button",change:"select, [type=checkbox]"};function z(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||Lt(this,e)}};customElements.define(t,n)}function Lt(t,e){let n=JSON.parse(t.dataset.live),o=t.attachShadow({mode:"open"});l(o,"style",{},Q);let r=l(o,"div",{class:"live",role:"group","aria-label":n.title});for(let s in n.roles)r.style.setProperty(`--${s}`,n.roles[s]);e(r,n),f(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),Ct(o,t);let i=t.previousElementSibling;i?.classList.contains("live-fallback")&&t.append(i)}function Ct(t,e){let n=!1;t.addEventListener("pointerdown",()=>n=!0),t.addEventListener("keydown",o=>{let r=e.closest(Z)&&St(o,n&&e.closest(yt));n=!1,!(o.ctrlKey||o.metaKey||o.altKey||o.key==="Tab")&&(r||o.stopPropagation(),(r||o.key==="Escape")&&j(e))});for(let[o,r]of Object.entries(Et)){let i=({target:s})=>n&&s.matches(r)&&e.closest(Z);t.addEventListener(o,s=>i(s)&&j(e),{capture:!0})}}var St=({key:t,target:e},n)=>kt.includes(t)||n&&vt.test(t)&&e.matches($t);function j(t){t.shadowRoot.activeElement?.blur(),t.parentElement?.closest("[tabindex]")?.focus()}function tt({prepare:t=c=>c,begin:e,compute:n,controls:o,draw:r,explain:i,...s}){let{style:c,sizes:d=()=>[0],hint:p}=s;return(a,u)=>{let m=t(u),h=d(m);c&&l(a,"style",{},c);let x={data:m,state:e(m),act:W,reset:()=>W(()=>e(m))},k=o(G(a),x),y=H(a),w=l(a,"div",{class:"picture"}),g=null;S(h.at(-1)),p&&Mt(a,p(m));function S(b){x.width=b,w.replaceChildren(),g=r(w,x)}function L(){let{state:b}=x,$=n(b,m);k(b),g(b,$),y(i(b,$,m))}let I=It(L);function W(b,...$){x.state=b(x.state,...$),I()}L(),At(a,b=>{let $=h.findLast(ht=>ht<=b)??h[0];$!==x.width&&(S($),L())})}}function At(t,e){let n=([{contentRect:o}])=>o.width&&e(o.width);new ResizeObserver(n).observe(t)}function Mt(t,e){let n=l(t,"p",{class:"hint"},e);for(let o of["pointerdown","keydown","input"]){let r=i=>i.key!=="Tab"&&f(n,{class:"hint gone"});t.addEventListener(o,r)}}function It(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var et=(...t)=>(...e)=>t.forEach(n=>n(...e)),nt=(t,e)=>({...t,...e});var _=(t,e)=>t.length>e?t.slice(0,e-1)+"…":t,C=(t,e,n)=>Math.max(e,Math.min(n,t));var Dt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function Nt(t,e,n,o,r){let i=P(t)?"g":"div",s=l(t,i,{role:"grid","aria-label":e}),c=n.map((p,a)=>{let u=l(s,i,{role:"row"});return Array.from({length:p},(m,h)=>{let x=l(u,i,{role:"gridcell",tabindex:a+h?-1:0});return x.at=[a,h],o(x,a,h),x})});return Rt(s,c,p=>{for(let a of c.flat())f(a,{tabindex:a.at===p?0:-1});r(...p)}),c}function O(t,e,n,o,r=!1){let i=[];return(s,c,d)=>{if(i.length!==s){t.replaceChildren();let p=r?Array(s).fill(1):[s];i=Nt(t,e,p,n,(a,u)=>o(a+u)).flat()}i.forEach((p,a)=>{let[u,m]=d(p,a);f(p,{"aria-label":u,class:m||null,tabindex:a===c?0:-1})})}}function Rt(t,e,n){let o=s=>s.target.closest("[role=gridcell]")?.at,r=(s,c)=>c[C(s,0,c.length-1)],i=(s,c)=>{let d=r(c,r(s,e));d.focus(),n(d.at)};t.getRootNode().addEventListener("focusin",s=>{t.contains(s.target)&&n(o(s))}),t.addEventListener("click",s=>o(s)&&i(...o(s))),t.addEventListener("keydown",s=>{let c=Dt[s.key];if(!c||s.shiftKey)return;s.preventDefault();let[d,p]=o(s);i(d+c[0],p+c[1])})}var E=(t,e)=>`${t} ${e}${t===1?"":"s"}`,v=t=>String(t).replace(/(?=(\d{3})+$)(?!^)/g,","),Tt={full:({num_heads:t})=>`full, ${E(t,"head")}`,grouped:({num_kv_heads:t})=>`grouped, ${E(t,"head")} of keys`,latent:({latent_dim:t,rope_dim:e})=>e?`latent, ${t} + ${e} numbers`:`latent, ${t} numbers`,window:({window:t})=>`window of ${t}`,sinks:({window:t,sinks:e})=>`window of ${t}, ${E(e,"sink")}`,state:({head_dim:t})=>`state, ${t} × ${t}`},K=(t,e)=>Tt[t](e),D=(t,{head_dim:e})=>`keys and values: 2 · ${E(t,"head")} · ${e} numbers`,Pt={full:t=>D(t.num_heads,t),grouped:t=>D(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>e?`a latent of ${t} numbers and a rotary part of ${e}, together ${t+e}`:`a latent: ${t} numbers`,window:t=>D(t.num_heads,t),sinks:t=>D(t.num_heads,t),state:({num_heads:t,head_dim:e})=>`${E(t,"head")} · ${e} · ${e} numbers`};function _t(t,e,n){let o=e.num_layers>1?`${e.num_layers} layers · `:"",r=t==="state"?e.state_itemsize:e.itemsize;return`${o}${Pt[t](e)} · ${E(r,"byte")} = ${v(n)}`}function ot({read:t,kind:e},{chosen:n,last:o},{tokens:r,sizes:i}){let{rows:s,each:c,bytes:d}=n,p=_t(e,i,c),a=[[r[t-1],"query"],[` asks, word ${t}. `]];if(e==="state")return[...a,...Ot(t,p,d)];let u=r.filter((h,x)=>o[x]==="dropped"),m=u.length?`Can no longer be looked up: ${u.join(", ")}.`:"All of them can be looked up.";return[...a,[`Kept: ${s} of ${E(t,"word")}`,"key"],[` × ${v(c)} = ${v(d)} bytes (${p}). ${m}`]]}function Ot(t,e,n){let o=t===1?"The word is":`All ${t} words are`;return[[`Kept: ${v(n)} bytes, however many words (${e}). `],[`${o} added into it`,"value"],[t===1?".":", one over the other: none has a row of its own."]]}function rt(t,{x:e,y:n,cell:o,rows:r,columns:i,size:s=14,turn:c=-45}){let d=`font-size:${s}px`,p=Math.round(.34*s);r.forEach((a,u)=>{let m={x:e-8,y:n+(u+.5)*o.height+p};l(t,"text",{class:"e",style:d,...m},_(a,8))}),i.forEach((a,u)=>{let h=`translate(${e+(u+.5)*o.width+p-1},${n-7})rotate(${c})`;l(t,"text",{style:d,transform:h},_(a,8))})}var st=360,N=78,M=66,Kt=30,qt={kept:{fill:"var(--key)","fill-opacity":.75},overlaid:{fill:"var(--value)","fill-opacity":.45},dropped:{fill:"currentColor","fill-opacity":.05},later:{fill:"none","fill-opacity":0}},Wt=[["kept","can be looked up"],["dropped","let go"],["overlaid","overlaid"]];function it(t,{data:{tokens:e}}){let n=e.length,o=l(t,"div",{class:"seen"});l(o,"div",{class:"caption"},"who asks (rows) can look up whom (columns)");let r=C((st-N-Kt)/n,10,30),i=M+n*r+34,s=l(o,"svg",{class:"glides",viewBox:`0 0 ${st} ${i}`});f(s,{"aria-hidden":"true"});let c=r<22?-90:-45;rt(s,{x:N,y:M,cell:{width:r,height:r},rows:e,columns:e,turn:c});let p=e.map((u,m)=>e.map((h,x)=>Ft(s,m,x,r))),a=l(s,"rect",{class:"mark",stroke:"var(--query)",x:N-2,rx:3});return f(a,{height:r+2}),Gt(s,M+n*r+12),({read:u},{map:m})=>{p.forEach((h,x)=>h.forEach((k,y)=>at(k,m[x][y],x===u-1))),f(a,{y:M+(u-1)*r-1,width:u*r+3})}}function Ft(t,e,n,o){let r={x:N+n*o,y:M+e*o},i={...r,width:o-1.5,height:o-1.5,rx:2},s=l(t,"rect",{...i,stroke:"currentColor"}),c=`M${r.x+2},${r.y+o-4}L${r.x+o-4},${r.y+2}`;return[s,l(t,"path",{d:c,stroke:"currentColor","stroke-width":1.2})]}function at([t,e],n,o){f(t,{...qt[n],"stroke-opacity":n==="dropped"?.45:0}),n==="kept"&&f(t,{"fill-opacity":o?1:.55}),f(e,{"stroke-opacity":n==="overlaid"?.7:0})}function Gt(t,e){let n=4;for(let[o,r]of Wt){let i=l(t,"g",{transform:`translate(${n},${e})`}),s=l(i,"rect",{width:16,height:16,rx:2,stroke:"currentColor"});at([s,l(i,"path",{d:"M2,14L14,2",stroke:"currentColor","stroke-width":1.2})],o,!1),l(i,"text",{x:22,y:13},r),n+=48+7.2*r.length}}var R=(t,{head_dim:e})=>2*t*e,Yt={full:t=>R(t.num_heads,t),grouped:t=>R(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>t+e,window:t=>R(t.num_heads,t),sinks:t=>R(t.num_heads,t),state:({num_heads:t,head_dim:e})=>t*e**2};function Ut(t,e){let n=t==="state"?e.state_itemsize:e.itemsize;return e.num_layers*Yt[t](e)*n}function lt(t,e,n,{window:o,sinks:r}){return n>e||t==="state"?!1:t!=="window"&&t!=="sinks"?!0:e-n<o||t==="sinks"&&n<r}function q(t,e,n){let o=Ut(t,n);if(t==="state")return{kind:t,rows:1,each:o,bytes:o};let i=Array.from({length:e},(s,c)=>lt(t,e-1,c,n)).filter(Boolean).length;return{kind:t,rows:i,each:o,bytes:i*o}}function ct(t,e,n,o){return n>e?"later":t==="state"?"overlaid":lt(t,e,n,o)?"kept":"dropped"}var pt=({step:t,kind:e})=>({read:t,kind:e}),T=(t,e,{tokens:n})=>({...t,read:C(e,1,n.length)});function dt({read:t,kind:e},{tokens:n,kinds:o,sizes:r}){let i=n.length,s=o.map(a=>q(a,t,r)),c=Math.max(...o.map(a=>q(a,i,r).bytes)),d=n.map((a,u)=>n.map((m,h)=>u<t?ct(e,u,h,r):"later")),p=n.map((a,u)=>ct(e,t-1,u,r));return{all:s,most:c,map:d,last:p,chosen:q(e,t,r)}}var ut=`
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
`;function ft(t,e){let n=Ht(t,e),o=l(t,"div",{class:"below"});return et(n,Vt(o,e),it(o,e))}var Bt={kept:"kept",dropped:"let go",overlaid:"overlaid with the others",later:"not read yet"};function Ht(t,{data:e,act:n}){let{tokens:o}=e,r=l(t,"div",{class:"words"}),c=O(r,"the words: which one is the newest?",(d,p,a)=>f(d,{},o[a]),d=>n(T,d+1,e));return({read:d},{last:p})=>c(o.length,d-1,(a,u)=>{let m=u===d-1;return[`${o[u]}: ${m?"asks, ":""}${Bt[p[u]]}`,p[u]+(m?" asks":"")]})}function Vt(t,{data:e,act:n}){let{kinds:o,sizes:r}=e,i=l(t,"div",{class:"kinds"});l(i,"div",{class:"caption"},"what each kind keeps, in bytes: choose one");let s=(p,a)=>{l(p,"span",{},K(o[a],r)),l(l(p,"span"),"i");let u=l(p,"b");l(u,"span"),l(u,"small")},c=p=>n(nt,{kind:o[p]}),d=O(l(i,"div"),"kinds of attention",s,c,!0);return({kind:p},{all:a,most:u})=>d(o.length,o.indexOf(p),(m,h)=>{let{rows:x,each:k,bytes:y}=a[h],[,w,g]=m.children,S=o[h]==="state"?"always":`${x} × ${v(k)}`;f(w.firstChild,{style:`width:${100*y/u}%`}),f(g.firstChild,{},v(y)),f(g.lastChild,{},S);let L=`${K(o[h],r)}: ${v(y)} bytes, ${S}`,I=o[h]==="state"?"state":"";return o[h]===p?[`${L}, shown`,`${I} shown`.trim()]:[L,I]})}var Xt=1300;function Jt(t,e){let n=e.data.tokens.length,r=J(t,e,{name:"words read",first:1,last:n,every:Xt,at:({read:i})=>i,go:T});return A(t,"Reset",e.reset),r}var Qt=()=>"Play: words come. Choose a kind of attention to see whom it can still look up.",mt=tt({begin:pt,compute:dt,controls:Jt,draw:ft,explain:ot,style:ut,hint:Qt});z("live-00000000",mt);
