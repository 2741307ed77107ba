// 9197283b944fb9629c406280830a4b54f8b24b266f9b27053b3f4597ada23c17
var Y="http://www.w3.org/2000/svg";var O=t=>t.namespaceURI===Y;function u(t,e,n){for(let[o,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(o):t.setAttribute(o,r);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function c(t,e,n={},o){let i=e==="svg"||O(t)?document.createElementNS(Y,e):document.createElement(e);return u(i,n,o),t.append(i),i}var F=t=>c(t,"div",{class:"bar"});function G(t,e,n,o){let r=c(c(t,"label",{},e),"input",n);return r.addEventListener("input",()=>o(r)),r}function H(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function L(t,e,n){let o=c(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function B(t){let e=c(t,"p",{"aria-live":"polite"}),n="";return o=>{let r=o.map(i=>i[0]).join("");r!==n&&(n=r,e.replaceChildren(...o.map(i=>pt(...i))))}}function pt(t,e){let n=document.createElement("span");return n.textContent=t,e&&u(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var ut=220,V=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${ut}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function X(t,e,{name:n="Play",every:o=400,next:r,rewind:i,ended:s}){let a=0,f=L(t,`▶ ${n}`,()=>a?p():m());function p(){clearInterval(a),a=0,U(t,!1),u(f,{},`▶ ${n}`)}function l(){if(!f.isConnected)return p();s(r(e.state))&&p(),e.act(r)}function m(){s(e.state)&&e.act(i),a=setInterval(l,o),U(t,o<1e3),u(f,{},"❚❚ Pause"),l()}for(let d of["input","click"])t.addEventListener(d,x=>a&&x.target!==f&&p());return{node:f,stop:p}}var U=(t,e)=>u(t.parentNode.querySelector("[aria-live]"),{"aria-live":e?"off":"polite"});var J=`
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
.hint { font-size: 13px; min-height: 0; opacity: .8; }
.gone { visibility: hidden; }
.role { text-decoration: underline 3px; text-underline-offset: 3px; }
[hidden] { display: none; }
.stepper { display: inline-flex; gap: 6px; }
button:disabled { opacity: .45; }
canvas { display: block; image-rendering: pixelated; }
.scroll { overflow-x: auto; padding: 3px; margin: -3px; }
.stage, .stage svg { position: relative; }
.stage canvas { position: absolute; }
${V}
@media print {
  :host { break-inside: avoid; }
  .bar, .hint { display: none; }
  .scroll { overflow: visible; }
  .stage { min-width: 0 !important; }
}
`;function Q(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||ft(this,e)}};customElements.define(t,n)}function ft(t,e){let n=JSON.parse(t.dataset.live),o=t.attachShadow({mode:"open"});c(o,"style",{},J);let r=c(o,"div",{class:"live",role:"group","aria-label":n.title});for(let s in n.roles)r.style.setProperty(`--${s}`,n.roles[s]);e(r,n),u(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),o.addEventListener("keydown",s=>mt(s,t));let i=t.previousElementSibling;i?.classList.contains("live-fallback")&&t.append(i)}function mt(t,e){t.ctrlKey||t.metaKey||t.altKey||t.key==="Tab"||(t.stopPropagation(),t.key==="Escape"&&(e.shadowRoot.activeElement?.blur(),e.parentElement?.closest("[tabindex]")?.focus()))}function Z({prepare:t=a=>a,begin:e,compute:n,controls:o,draw:r,explain:i,...s}){let{style:a,sizes:f=()=>[0],hint:p}=s;return(l,m)=>{let d=t(m),x=f(d);a&&c(l,"style",{},a);let h={data:d,state:e(d),act:T,reset:()=>T(()=>e(d))},v=o(l,h),S=B(l),I=c(l,"div",{class:"picture"}),M=null;$(x.at(-1)),p&&ht(l,p(d));function $(w){h.width=w,I.replaceChildren(),M=r(I,h,v.number)}function E(){let{state:w}=h,y=n(w,d);v.update(w),M(w,y),S(i(w,y,d))}let _=wt(E);function T(w,...y){h.state=w(h.state,...y),_()}E(),xt(l,w=>{let y=x.findLast(dt=>dt<=w)??x[0];y!==h.width&&($(y),E())})}}function xt(t,e){let n=([{contentRect:o}])=>o.width&&e(o.width);new ResizeObserver(n).observe(t)}function ht(t,e){let n=c(t,"p",{class:"hint"},e);for(let o of["pointerdown","keydown","input"]){let r=i=>i.key!=="Tab"&&u(n,{class:"hint gone"});t.addEventListener(o,r)}}function wt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var j=(t,e)=>({...t,...e});var K=(t,e)=>t.length>e?t.slice(0,e-1)+"…":t,C=(t,e,n)=>Math.max(e,Math.min(n,t));var gt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function P(t,e,n,o,r){let i=O(t)?"g":"div",s=c(t,i,{role:"grid","aria-label":e}),a=n.map((p,l)=>{let m=c(s,i,{role:"row"});return Array.from({length:p},(d,x)=>{let h=c(m,i,{role:"gridcell",tabindex:l+x?-1:0});return h.at=[l,x],o(h,l,x),h})});return bt(s,a,p=>{for(let l of a.flat())u(l,{tabindex:l.at===p?0:-1});r(...p)}),a}function bt(t,e,n){let o=s=>s.target.closest("[role=gridcell]")?.at,r=(s,a)=>a[C(s,0,a.length-1)],i=(s,a)=>{let f=r(a,r(s,e));f.focus(),n(f.at)};t.getRootNode().addEventListener("focusin",s=>{t.contains(s.target)&&n(o(s))}),t.addEventListener("click",s=>o(s)&&i(...o(s))),t.addEventListener("keydown",s=>{let a=gt[s.key];if(!a||s.shiftKey)return;s.preventDefault();let[f,p]=o(s);i(f+a[0],p+a[1])})}var k=(t,e)=>`${t} ${e}${t===1?"":"s"}`,g=t=>String(t).replace(/(?=(\d{3})+$)(?!^)/g,","),yt={full:({num_heads:t})=>`full, ${k(t,"head")}`,grouped:({num_kv_heads:t})=>`grouped, ${k(t,"head")} of keys`,latent:({latent_dim:t,rope_dim:e})=>e?`latent, ${t} + ${e} numbers`:`latent, ${t} numbers`,window:({window:t})=>`window of ${t}`,sinks:({window:t,sinks:e})=>`window of ${t}, ${k(e,"sink")}`,state:({head_dim:t})=>`state, ${t} × ${t}`},q=(t,e)=>yt[t](e),D=(t,{head_dim:e})=>`keys and values: 2 · ${k(t,"head")} · ${e} numbers`,kt={full:t=>D(t.num_heads,t),grouped:t=>D(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>e?`a latent of ${t} numbers and a rotary part of ${e}, together ${t+e}`:`a latent: ${t} numbers`,window:t=>D(t.num_heads,t),sinks:t=>D(t.num_heads,t),state:({num_heads:t,head_dim:e})=>`${k(t,"head")} · ${e} · ${e} numbers`};function vt(t,e,n){let o=e.num_layers>1?`${e.num_layers} layers · `:"",r=t==="state"?e.state_itemsize:e.itemsize;return`${o}${kt[t](e)} · ${k(r,"byte")} = ${g(n)}`}function z({read:t,kind:e},{chosen:n,last:o},{tokens:r,sizes:i}){let{rows:s,each:a,bytes:f}=n,p=vt(e,i,a),l=[[r[t-1],"query"],[` asks, word ${t}. `]];if(e==="state")return[...l,...$t(t,p,f)];let m=r.filter((x,h)=>o[h]==="dropped"),d=m.length?`Can no longer be looked up: ${m.join(", ")}.`:"All of them can be looked up.";return[...l,[`Kept: ${s} of ${k(t,"word")}`,"key"],[` × ${g(a)} = ${g(f)} bytes (${p}). ${d}`]]}function $t(t,e,n){let o=t===1?"The word is":`All ${t} words are`;return[[`Kept: ${g(n)} bytes, however many words (${e}). `],[`${o} added into it`,"value"],[t===1?".":", one over the other: none has a row of its own."]]}var tt=360,N=78,A=66,Et=30,Lt={kept:{fill:"var(--key)","fill-opacity":.75},overlaid:{fill:"var(--value)","fill-opacity":.45},dropped:{fill:"currentColor","fill-opacity":.05},later:{fill:"none","fill-opacity":0}},Ct=[["kept","can be looked up"],["dropped","let go"],["overlaid","overlaid"]];function et(t,{data:{tokens:e}}){let n=e.length,o=c(t,"div",{class:"seen"});c(o,"div",{class:"caption"},"who asks (rows) can look up whom (columns)");let r=C((tt-N-Et)/n,10,30),i=A+n*r+34,s=c(o,"svg",{class:"glides",viewBox:`0 0 ${tt} ${i}`});u(s,{"aria-hidden":"true"}),At(s,e,r);let a=e.map((p,l)=>e.map((m,d)=>St(s,l,d,r))),f=c(s,"rect",{class:"mark",stroke:"var(--query)",x:N-2,rx:3});return u(f,{height:r+2}),Mt(s,A+n*r+12),({read:p},{map:l})=>{a.forEach((m,d)=>m.forEach((x,h)=>nt(x,l[d][h],d===p-1))),u(f,{y:A+(p-1)*r-1,width:p*r+3})}}function At(t,e,n){e.forEach((o,r)=>{let i=(r+.5)*n;c(t,"text",{class:"e",x:N-8,y:A+i+5},K(o,8));let s=n<22?-90:-45,a=`translate(${N+i+4},${A-7})rotate(${s})`;c(t,"text",{transform:a},K(o,8))})}function St(t,e,n,o){let r={x:N+n*o,y:A+e*o},i={...r,width:o-1.5,height:o-1.5,rx:2},s=c(t,"rect",{...i,stroke:"currentColor"}),a=`M${r.x+2},${r.y+o-4}L${r.x+o-4},${r.y+2}`;return[s,c(t,"path",{d:a,stroke:"currentColor","stroke-width":1.2})]}function nt([t,e],n,o){u(t,{...Lt[n],"stroke-opacity":n==="dropped"?.45:0}),n==="kept"&&u(t,{"fill-opacity":o?1:.55}),u(e,{"stroke-opacity":n==="overlaid"?.7:0})}function Mt(t,e){let n=4;for(let[o,r]of Ct){let i=c(t,"g",{transform:`translate(${n},${e})`}),s=c(i,"rect",{width:16,height:16,rx:2,stroke:"currentColor"});nt([s,c(i,"path",{d:"M2,14L14,2",stroke:"currentColor","stroke-width":1.2})],o,!1),c(i,"text",{x:22,y:13},r),n+=48+7.2*r.length}}var R=(t,{head_dim:e})=>2*t*e,Nt={full:t=>R(t.num_heads,t),grouped:t=>R(t.num_kv_heads,t),latent:({latent_dim:t,rope_dim:e})=>t+e,window:t=>R(t.num_heads,t),sinks:t=>R(t.num_heads,t),state:({num_heads:t,head_dim:e})=>t*e**2};function It(t,e){let n=t==="state"?e.state_itemsize:e.itemsize;return e.num_layers*Nt[t](e)*n}function rt(t,e,n,{window:o,sinks:r}){return n>e||t==="state"?!1:t!=="window"&&t!=="sinks"?!0:e-n<o||t==="sinks"&&n<r}function W(t,e,n){let o=It(t,n);if(t==="state")return{kind:t,rows:1,each:o,bytes:o};let i=Array.from({length:e},(s,a)=>rt(t,e-1,a,n)).filter(Boolean).length;return{kind:t,rows:i,each:o,bytes:i*o}}function ot(t,e,n,o){return n>e?"later":t==="state"?"overlaid":rt(t,e,n,o)?"kept":"dropped"}var st=({step:t,kind:e})=>({read:t,kind:e}),b=(t,e,{tokens:n})=>({...t,read:C(e,1,n.length)});function it({read:t,kind:e},{tokens:n,kinds:o,sizes:r}){let i=n.length,s=o.map(l=>W(l,t,r)),a=Math.max(...o.map(l=>W(l,i,r).bytes)),f=n.map((l,m)=>n.map((d,x)=>m<t?ot(e,m,x,r):"later")),p=n.map((l,m)=>ot(e,t-1,m,r));return{all:s,most:a,map:f,last:p,chosen:W(e,t,r)}}var at=`
.hint { font-size: 14px; }
.caption { margin: 6px 0 4px; }
.words [role=row] { display: flex; flex-wrap: wrap; gap: 4px; }
.words [role=gridcell] {
  padding: 2px 10px; border-radius: 6px; border: 2.5px solid transparent; min-width: 44px;
  text-align: center;
}
.words .kept { background: color-mix(in srgb, var(--key) 30%, transparent); }
.words .overlaid { background: color-mix(in srgb, var(--value) 30%, transparent); }
.words .dropped { text-decoration: line-through; opacity: .75; }
.words .dropped, .words .later { border: 1.5px dashed color-mix(in srgb, currentColor 55%, transparent); }
.words .later { opacity: .75; }
.words .asks { border-color: var(--query); font-weight: 600; }
.words [role=gridcell]:focus-visible, .kinds [role=gridcell]:focus-visible {
  outline: 2px solid currentColor; outline-offset: 1px;
}
.below { display: flex; flex-wrap: wrap; gap: 4px 28px; align-items: flex-start; }
.kinds { flex: 1 1 330px; min-width: 0; }
.seen { flex: 1 1 330px; max-width: 400px; min-width: 0; }
.kinds [role=gridcell] {
  display: grid; grid-template-columns: minmax(92px, 150px) 1fr 112px; gap: 10px;
  align-items: center; padding: 3px 8px; border-radius: 6px; border: 2px solid transparent;
  line-height: 1.25; min-height: 46px;
}
.kinds .shown { border-color: currentColor; font-weight: 600; }
.kinds i {
  display: block; height: 24px; background: var(--key); print-color-adjust: exact;
}
.kinds .state i { background: var(--value); }
.kinds b { font-weight: inherit; text-align: right; }
.kinds small { display: block; font-size: 14px; font-weight: 400; }
@media (max-width: 500px) { .kinds [role=gridcell] { grid-template-columns: 108px 1fr 88px; } }
@media (prefers-reduced-motion: no-preference) { .kinds i { transition: width 220ms ease-out; } }
`;function ct(t,e){let n=Dt(t,e),o=c(t,"div",{class:"below"}),r=Rt(o,e),i=et(o,e);return(s,a)=>{n(s,a),r(s,a),i(s,a)}}var Tt={kept:"kept",dropped:"let go",overlaid:"overlaid with the others",later:"not read yet"};function Dt(t,{data:e,act:n}){let{tokens:o}=e,r=c(t,"div",{class:"words"}),i=(p,l,m)=>u(p,{},o[m]),s="the words: which one is the newest?",a=(p,l)=>n(b,l+1,e),[f]=P(r,s,[o.length],i,a);return({read:p},{last:l})=>{f.forEach((m,d)=>{let x=d===p-1,h=`${o[d]}: ${x?"asks, ":""}${Tt[l[d]]}`,v=x?0:-1;u(m,{"aria-label":h,class:l[d]+(x?" asks":""),tabindex:v})})}}function Rt(t,{data:e,act:n}){let{kinds:o,sizes:r}=e,i=c(t,"div",{class:"kinds"});c(i,"div",{class:"caption"},"what each kind keeps, in bytes: choose one");let s=(p,l)=>{c(p,"span",{},q(o[l],r)),c(c(p,"span"),"i");let m=c(p,"b");c(m,"span"),c(m,"small")},a=p=>n(j,{kind:o[p]}),f=P(i,"kinds of attention",o.map(()=>1),s,a);return({kind:p},{all:l,most:m})=>{f.forEach(([d],x)=>{let{rows:h,each:v,bytes:S}=l[x],[,I,M]=d.children,$=o[x]===p,E=o[x]==="state"?"always":`${h} × ${g(v)}`;u(I.firstChild,{style:`width:${100*S/m}%`}),u(M.firstChild,{},g(S)),u(M.lastChild,{},E);let _=`${q(o[x],r)}: ${g(S)} bytes, ${E}`,T=o[x]==="state"?"state":"";u(d,{"aria-label":_+($?", shown":""),tabindex:$?0:-1}),u(d,{class:`${T}${$?" shown":""}`.trim()||null})})}}var _t=1300;function Ot(t,e){let{act:n,data:o}=e,r=o.tokens.length,i=F(t);X(i,e,{every:_t,next:d=>b(d,d.read+1,o),rewind:d=>b(d,1,o),ended:({read:d})=>d===r});let s=L(i,"◀ back",()=>n(b,e.state.read-1,o)),a=L(i,"forward ▶",()=>n(b,e.state.read+1,o)),l=G(i,"words read",{type:"range",min:1,max:r,step:1},d=>n(b,Number(d.value),o));return L(i,"Reset",e.reset),{update:d=>{H(l,d.read),s.disabled=d.read===1,a.disabled=d.read===r}}}var Kt=()=>"Play: words come. Choose a kind of attention to see whom it can still look up.",lt=Z({begin:st,compute:it,controls:Ot,draw:ct,explain:z,style:at,hint:Kt});Q("live-00000000",lt);
