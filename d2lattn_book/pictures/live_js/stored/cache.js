// 22820160dacdd93e4e775bc6581531d003f20c5d2e1fca4ba360d444f962c641
var F="http://www.w3.org/2000/svg";var P=t=>t.namespaceURI===F;function f(t,e,o){for(let[n,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(n):t.setAttribute(n,r);return o!==void 0&&t.textContent!==String(o)&&(t.textContent=o),t}function l(t,e,o={},n){let i=e==="svg"||P(t)?document.createElementNS(F,e):document.createElement(e);return f(i,o,n),t.append(i),i}var G=t=>l(t,"div",{class:"bar"});function xt(t,e,o,n){let r=l(l(t,"label",{},e),"input",o);return r.addEventListener("input",()=>n(r)),r}var Y=(t,e,{step:o=1,...n},r)=>xt(t,e,{type:"range",step:o,...n},i=>r(Number(i.value)));var B=(t,e={})=>l(t,"span",{"aria-hidden":"true",...e});function U(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function S(t,e,o){let n=l(t,"button",{type:"button"},e);return n.addEventListener("click",o),n}function H(t){let e=l(t,"p",{"aria-live":"polite"}),o="";return n=>{let r=n.map(i=>i[0]).join("");r!==o&&(o=r,e.replaceChildren(...n.map(i=>wt(...i))))}}function wt(t,e){let o=document.createElement("span");return o.textContent=t,e&&f(o,{class:"role",style:`text-decoration-color: var(--${e})`}),o}var gt=220,X=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${gt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function bt(t,e,{name:o="Play",every:n=400,...r}){let{next:i,rewind:s,ended:p,held:u=()=>!1}=r,c=0,a=S(t,`▶ ${o}`,()=>c?d():h());function d(){clearInterval(c),c=0,V(t,!1),f(a,{},`▶ ${o}`)}function m(){if(!a.isConnected)return d();p(i(e.state))&&d(),e.act(i)}function h(){p(e.state)&&e.act(s),c=setInterval(m,n),V(t,n<=1e3),f(a,{},"❚❚ Pause"),u(e.state)||m()}for(let x of["input","click"])t.addEventListener(x,b=>c&&b.target!==a&&d())}var V=(t,e)=>f(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});function J(t,e,{name:o,first:n=0,last:r,every:i,at:s,go:p,names:u}){let{act:c,data:a}=e,d=w=>c(p,w,a);bt(t,e,{every:i,next:w=>p(w,s(w)+1,a),rewind:w=>p(w,n,a),ended:w=>s(w)===r,held:w=>!!u&&s(w)===n});let m=(w,g)=>S(t,w,()=>d(s(e.state)+g)),h=!u&&m("◀ back",-1),x=!u&&m("forward ▶",1),b=Y(t,o,{min:n,max:r,style:u?"width:240px":null},d),v=u&&B(t,{class:"b"});return w=>{let g=s(w);U(b,g),u?(f(b,{"aria-valuetext":u[g]}),f(v,{},u[g])):(f(h,{"aria-disabled":g===n}),f(x,{"aria-disabled":g===r}))}}var Q=`
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
`;var Z=".reveal",yt=["PageUp","PageDown"],kt=/^Arrow[LR]/,vt="[role],[type=range]",$t={click:"button, summary",change:"select, [type=checkbox]"};function z(t,e){if(customElements.get(t))return;let o=class extends HTMLElement{connectedCallback(){this.shadowRoot||Et(this,e)}};customElements.define(t,o)}function Et(t,e){let o=JSON.parse(t.dataset.live),n=t.attachShadow({mode:"open"});l(n,"style",{},Q);let r=l(n,"div",{class:"live",role:"group","aria-label":o.title});for(let s in o.roles)r.style.setProperty(`--${s}`,o.roles[s]);e(r,o),f(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),Lt(n,t);let i=t.previousElementSibling;i?.classList.contains("live-fallback")&&t.append(i)}function Lt(t,e){let o=!1;t.addEventListener("pointerdown",()=>o=!0),t.addEventListener("keydown",n=>{let r=e.closest(Z)&&Ct(n,o);o=!1,!(n.ctrlKey||n.metaKey||n.altKey||n.key==="Tab")&&(r||n.stopPropagation(),(r||n.key==="Escape")&&j(e))});for(let[n,r]of Object.entries($t)){let i=({target:s})=>o&&s.matches(r)&&e.closest(Z);t.addEventListener(n,s=>i(s)&&j(e),{capture:!0})}}var Ct=({key:t,target:e},o)=>yt.includes(t)||o&&kt.test(t)&&e.matches(vt);function j(t){t.shadowRoot.activeElement?.blur(),t.parentElement?.closest("[tabindex]")?.focus()}function tt({prepare:t=p=>p,begin:e,compute:o,controls:n,draw:r,explain:i,...s}){let{style:p,sizes:u=()=>[0],hint:c}=s;return(a,d)=>{let m=t(d),h=u(m);p&&l(a,"style",{},p);let x={data:m,state:e(m),act:W,reset:()=>W(()=>e(m))},b=n(G(a),x),v=H(a),w=l(a,"div",{class:"picture"}),g=null;A(h.at(-1)),c&&St(a,c(m));function A(y){x.width=y,w.replaceChildren(),g=r(w,x)}function L(){let{state:y}=x,$=o(y,m);b(y),g(y,$),v(i(y,$,m))}let I=Mt(L);function W(y,...$){x.state=y(x.state,...$),I()}L(),At(a,y=>{let $=h.findLast(ht=>ht<=y)??h[0];$!==x.width&&(A($),L())})}}function At(t,e){let o=([{contentRect:n}])=>n.width&&e(n.width);new ResizeObserver(o).observe(t)}function St(t,e){let o=l(t,"p",{class:"hint"},e);for(let n of["pointerdown","keydown","input"]){let r=i=>i.key!=="Tab"&&f(o,{class:"hint gone"});t.addEventListener(n,r)}}function Mt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var et=(...t)=>(...e)=>t.forEach(o=>o(...e)),nt=(t,e)=>({...t,...e});var _=(t,e)=>t.length>e?t.slice(0,e-1)+"…":t,C=(t,e,o)=>Math.max(e,Math.min(o,t));var It={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function Nt(t,e,o,n,r){let i=P(t)?"g":"div",s=l(t,i,{role:"grid","aria-label":e}),p=o.map((c,a)=>{let d=l(s,i,{role:"row"});return Array.from({length:c},(m,h)=>{let x=l(d,i,{role:"gridcell",tabindex:a+h?-1:0});return x.at=[a,h],n(x,a,h),x})});return Dt(s,p,c=>{for(let a of p.flat())f(a,{tabindex:a.at===c?0:-1});r(...c)}),p}function O(t,e,o,n,r=!1){let i=[];return(s,p,u)=>{if(i.length!==s){t.replaceChildren();let c=r?Array(s).fill(1):[s];i=Nt(t,e,c,o,(a,d)=>n(a+d)).flat()}i.forEach((c,a)=>{let[d,m]=u(c,a);f(c,{"aria-label":d,class:m||null,tabindex:a===p?0:-1})})}}function Dt(t,e,o){let n=s=>s.target.closest("[role=gridcell]")?.at,r=(s,p)=>p[C(s,0,p.length-1)],i=(s,p)=>{let u=r(p,r(s,e));u.focus(),o(u.at)};t.getRootNode().addEventListener("focusin",s=>{t.contains(s.target)&&o(n(s))}),t.addEventListener("click",s=>n(s)&&i(...n(s))),t.addEventListener("keydown",s=>{let p=It[s.key];if(!p||s.shiftKey)return;s.preventDefault();let[u,c]=n(s);i(u+p[0],c+p[1])})}var E=(t,e)=>`${t} ${e}${t===1?"":"s"}`,k=t=>String(t).replace(/(?=(\d{3})+$)(?!^)/g,","),Tt={full:({num_heads:t})=>`full, ${E(t,"head")}`,grouped:({num_kv_heads:t})=>`grouped, ${E(t,"head")} of keys`,latent:({latent_dim:t,rope_dim:e})=>e?`latent, ${t} + ${e} numbers`:`latent, ${t} numbers`,window:({window:t})=>`window of ${t}`,sinks:({window:t,sinks:e})=>`window of ${t}, ${E(e,"sink")}`,state:({head_dim:t})=>`state, ${t} × ${t}`},q=(t,e)=>Tt[t](e),N=(t,{head_dim:e})=>`keys and values: 2 · ${E(t,"head")} · ${e} numbers`,Rt={full:t=>N(t.num_heads,t),grouped:t=>N(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>e?`a latent of ${t} numbers and a rotary part of ${e}, together ${t+e}`:`a latent: ${t} numbers`,window:t=>N(t.num_heads,t),sinks:t=>N(t.num_heads,t),state:({num_heads:t,head_dim:e})=>`${E(t,"head")} · ${e} · ${e} numbers`};function Pt(t,e,o){let n=e.num_layers>1?`${e.num_layers} layers · `:"",r=t==="state"?e.state_itemsize:e.itemsize;return`${n}${Rt[t](e)} · ${E(r,"byte")} = ${k(o)}`}function ot({read:t,kind:e},{chosen:o,last:n},{tokens:r,sizes:i}){let{rows:s,each:p,bytes:u}=o,c=Pt(e,i,p),a=[[r[t-1],"query"],[` asks, word ${t}. `]];if(e==="state")return[...a,..._t(t,c,u)];let d=r.filter((h,x)=>n[x]==="dropped"),m=d.length?`Can no longer be looked up: ${d.join(", ")}.`:"All of them can be looked up.";return[...a,[`Kept: ${s} of ${E(t,"word")}`,"key"],[` × ${k(p)} = ${k(u)} bytes (${c}). ${m}`]]}function _t(t,e,o){let n=t===1?"The word is":`All ${t} words are`;return[[`Kept: ${k(o)} bytes, however many words (${e}). `],[`${n} added into it`,"value"],[t===1?".":", one over the other: none has a row of its own."]]}function rt(t,{x:e,y:o,cell:n,rows:r,columns:i,size:s=14}){let p=n.width<1.56*s?-90:-45,u=`font-size:${s}px`,c=Math.round(.34*s);r.forEach((a,d)=>{let m={x:e-8,y:o+(d+.5)*n.height+c};l(t,"text",{class:"e",style:u,...m},_(a,8))}),i.forEach((a,d)=>{let h=`translate(${e+(d+.5)*n.width+c-1},${o-7})rotate(${p})`;l(t,"text",{style:u,transform:h},_(a,8))})}var st=360,D=78,M=66,Ot=30,qt={kept:{fill:"var(--key)","fill-opacity":.75},overlaid:{fill:"var(--value)","fill-opacity":.45},dropped:{fill:"currentColor","fill-opacity":.05},later:{fill:"none","fill-opacity":0}},Kt=[["kept","can be looked up"],["dropped","let go"],["overlaid","overlaid"]];function it(t,{data:{tokens:e}}){let o=e.length,n=l(t,"div",{class:"seen"});l(n,"div",{class:"caption"},"who asks (rows) can look up whom (columns)");let r=C((st-D-Ot)/o,10,30),i=M+o*r+34,s=l(n,"svg",{class:"glides",viewBox:`0 0 ${st} ${i}`});f(s,{"aria-hidden":"true"}),rt(s,{x:D,y:M,cell:{width:r,height:r},rows:e,columns:e});let u=e.map((a,d)=>e.map((m,h)=>Wt(s,d,h,r))),c=l(s,"rect",{class:"mark",stroke:"var(--query)",x:D-2,rx:3});return f(c,{height:r+2}),Ft(s,M+o*r+12),({read:a},{map:d})=>{u.forEach((m,h)=>m.forEach((x,b)=>at(x,d[h][b],h===a-1))),f(c,{y:M+(a-1)*r-1,width:a*r+3})}}function Wt(t,e,o,n){let r={x:D+o*n,y:M+e*n},i={...r,width:n-1.5,height:n-1.5,rx:2},s=l(t,"rect",{...i,stroke:"currentColor"}),p=`M${r.x+2},${r.y+n-4}L${r.x+n-4},${r.y+2}`;return[s,l(t,"path",{d:p,stroke:"currentColor","stroke-width":1.2})]}function at([t,e],o,n){f(t,{...qt[o],"stroke-opacity":o==="dropped"?.45:0}),o==="kept"&&f(t,{"fill-opacity":n?1:.55}),f(e,{"stroke-opacity":o==="overlaid"?.7:0})}function Ft(t,e){let o=4;for(let[n,r]of Kt){let i=l(t,"g",{transform:`translate(${o},${e})`}),s=l(i,"rect",{width:16,height:16,rx:2,stroke:"currentColor"});at([s,l(i,"path",{d:"M2,14L14,2",stroke:"currentColor","stroke-width":1.2})],n,!1),l(i,"text",{x:22,y:13},r),o+=48+7.2*r.length}}var T=(t,{head_dim:e})=>2*t*e,Gt={full:t=>T(t.num_heads,t),grouped:t=>T(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>t+e,window:t=>T(t.num_heads,t),sinks:t=>T(t.num_heads,t),state:({num_heads:t,head_dim:e})=>t*e**2};function Yt(t,e){let o=t==="state"?e.state_itemsize:e.itemsize;return e.num_layers*Gt[t](e)*o}function lt(t,e,o,{window:n,sinks:r}){return o>e||t==="state"?!1:t!=="window"&&t!=="sinks"?!0:e-o<n||t==="sinks"&&o<r}function K(t,e,o){let n=Yt(t,o);if(t==="state")return{kind:t,rows:1,each:n,bytes:n};let i=Array.from({length:e},(s,p)=>lt(t,e-1,p,o)).filter(Boolean).length;return{kind:t,rows:i,each:n,bytes:i*n}}function ct(t,e,o,n){return o>e?"later":t==="state"?"overlaid":lt(t,e,o,n)?"kept":"dropped"}var pt=({step:t,kind:e})=>({read:t,kind:e}),R=(t,e,{tokens:o})=>({...t,read:C(e,1,o.length)});function dt({read:t,kind:e},{tokens:o,kinds:n,sizes:r}){let i=o.length,s=n.map(a=>K(a,t,r)),p=Math.max(...n.map(a=>K(a,i,r).bytes)),u=o.map((a,d)=>o.map((m,h)=>d<t?ct(e,d,h,r):"later")),c=o.map((a,d)=>ct(e,t-1,d,r));return{all:s,most:p,map:u,last:c,chosen:K(e,t,r)}}var ut=`
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
`;function ft(t,e){let o=Ut(t,e),n=l(t,"div",{class:"below"});return et(o,Ht(n,e),it(n,e))}var Bt={kept:"kept",dropped:"let go",overlaid:"overlaid with the others",later:"not read yet"};function Ut(t,{data:e,act:o}){let{tokens:n}=e,r=l(t,"div",{class:"words"}),p=O(r,"the words: which one is the newest?",(u,c,a)=>f(u,{},n[a]),u=>o(R,u+1,e));return({read:u},{last:c})=>p(n.length,u-1,(a,d)=>{let m=d===u-1;return[`${n[d]}: ${m?"asks, ":""}${Bt[c[d]]}`,c[d]+(m?" asks":"")]})}function Ht(t,{data:e,act:o}){let{kinds:n,sizes:r}=e,i=l(t,"div",{class:"kinds"});l(i,"div",{class:"caption"},"what each kind keeps, in bytes: choose one");let s=(c,a)=>{l(c,"span",{},q(n[a],r)),l(l(c,"span"),"i");let d=l(c,"b");l(d,"span"),l(d,"small")},p=c=>o(nt,{kind:n[c]}),u=O(l(i,"div"),"kinds of attention",s,p,!0);return({kind:c},{all:a,most:d})=>u(n.length,n.indexOf(c),(m,h)=>{let{rows:x,each:b,bytes:v}=a[h],[,w,g]=m.children,A=n[h]==="state"?"always":`${x} × ${k(b)}`;f(w.firstChild,{style:`width:${100*v/d}%`}),f(g.firstChild,{},k(v)),f(g.lastChild,{},A);let L=`${q(n[h],r)}: ${k(v)} bytes, ${A}`,I=n[h]==="state"?"state":"";return n[h]===c?[`${L}, shown`,`${I} shown`.trim()]:[L,I]})}var Vt=1300;function Xt(t,e){let o=e.data.tokens.length,r=J(t,e,{name:"words read",first:1,last:o,every:Vt,at:({read:i})=>i,go:R});return S(t,"Reset",e.reset),r}var Jt=()=>"Play: words come. Choose a kind of attention to see whom it can still look up.",mt=tt({begin:pt,compute:dt,controls:Xt,draw:ft,explain:ot,style:ut,hint:Jt});z("live-00000000",mt);
