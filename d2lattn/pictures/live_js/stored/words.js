// 1c85200bcd2768dec97655732209b04265034b3070ccf28ccae74f4fdfd73303
var V="http://www.w3.org/2000/svg";var W=t=>t.namespaceURI===V;function g(t,e,n){for(let[s,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(s):t.setAttribute(s,r);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function p(t,e,n={},s){let o=e==="svg"||W(t)?document.createElementNS(V,e):document.createElement(e);return g(o,n,s),t.append(o),o}var D=t=>({visibility:t?null:"hidden"});var Y=t=>t.addEventListener("touchmove",e=>e.preventDefault(),{passive:!1});function F(t,e){let n=t.getScreenCTM();return[(e.clientX-n.e)/n.a,(e.clientY-n.f)/n.d]}var X=t=>p(t,"div",{class:"bar"});function J(t,e,n,s){let r=p(p(t,"label",{},e),"input",n);return r.addEventListener("input",()=>s(r)),r}function Z(t,e,n,s,r){let o=p(p(t,"label",{},e),"select",{value:n});for(let i of s)p(o,"option",{value:i},i);return o.value=n,o.addEventListener("input",()=>r(o.value)),o}function Q(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function U(t,e,n){let s=p(t,"button",{type:"button"},e);return s.addEventListener("click",n),s}function j(t){let e=p(t,"p",{"aria-live":"polite"}),n="";return s=>{let r=s.map(o=>o[0]).join("");r!==n&&(n=r,e.replaceChildren(...s.map(o=>Lt(...o))))}}function Lt(t,e){let n=document.createElement("span");return n.textContent=t,e&&g(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var Mt=220,tt=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${Mt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function et(t,e,n,s=0){return g(t,{style:`transform:translate(${e}px,${n}px) rotate(${s}deg)`})}var nt=`
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
${tt}
@media print {
  :host { break-inside: avoid; }
  .bar, .hint { display: none; }
  .scroll { overflow: visible; }
  .stage { min-width: 0 !important; }
}
`;function ot(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||At(this,e)}};customElements.define(t,n)}function At(t,e){let n=JSON.parse(t.dataset.live),s=t.attachShadow({mode:"open"});p(s,"style",{},nt);let r=p(s,"div",{class:"live",role:"group","aria-label":n.title});for(let i in n.roles)r.style.setProperty(`--${i}`,n.roles[i]);e(r,n),g(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),s.addEventListener("keydown",i=>St(i,t));let o=t.previousElementSibling;o?.classList.contains("live-fallback")&&t.append(o)}function St(t,e){t.ctrlKey||t.metaKey||t.altKey||t.key==="Tab"||(t.stopPropagation(),t.key==="Escape"&&(e.shadowRoot.activeElement?.blur(),e.parentElement?.closest("[tabindex]")?.focus()))}function rt({prepare:t=a=>a,begin:e,compute:n,controls:s,draw:r,explain:o,...i}){let{style:a,sizes:f=()=>[0],hint:m}=i;return(c,w)=>{let u=t(w),l=f(u);a&&p(c,"style",{},a);let h={data:u,state:e(u),act:L,reset:()=>L(()=>e(u))},y=s(c,h),b=j(c),d=p(c,"div",{class:"picture"}),x=null;k(l.at(-1)),m&&Tt(c,m(u));function k(v){h.width=v,d.replaceChildren(),x=r(d,h,y.number)}function E(){let{state:v}=h,M=n(v,u);y.update(v),x(v,M),b(o(v,M,u))}let A=Ct(E);function L(v,...M){h.state=v(h.state,...M),A()}E(),It(c,v=>{let M=l.findLast(N=>N<=v)??l[0];M!==h.width&&(k(M),E())})}}function It(t,e){let n=([{contentRect:s}])=>s.width&&e(s.width);new ResizeObserver(n).observe(t)}function Tt(t,e){let n=p(t,"p",{class:"hint"},e);for(let s of["pointerdown","keydown","input"]){let r=o=>o.key!=="Tab"&&g(n,{class:"hint gone"});t.addEventListener(s,r)}}function Ct(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}function $(t,e=2){if(Number.isNaN(t))return"–";if(!Number.isFinite(t))return t>0?"∞":"−∞";let n=Nt(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function Nt(t,e){return t>=1e4||t>0&&t<1e-9?t.toExponential(1):t.toFixed(t>=100?Math.min(1,e):e)}var O=t=>$(t).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,""),st=t=>O(t)[0]==="−"?`(${O(t)})`:O(t);var H=(t,e,n)=>Math.max(e,Math.min(n,t)),C=t=>t.reduce((e,n)=>e+n,0),it=(t,e)=>t.reduce((n,s,r)=>n+s*e[r],0);function at(t,e=t.map(()=>!0)){let n=Math.max(...t.filter((o,i)=>e[i]));if(n===-1/0)return{shares:t.map(()=>0),sum:0,largest:n};let s=t.map((o,i)=>e[i]?Math.exp(o-n):0),r=C(s);return{shares:s.map(o=>o/r),sum:r,largest:n}}var Dt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function ct(t,e,n,s,r){let o=W(t)?"g":"div",i=p(t,o,{role:"grid","aria-label":e}),a=n.map((m,c)=>{let w=p(i,o,{role:"row"});return Array.from({length:m},(u,l)=>{let h=p(w,o,{role:"gridcell",tabindex:c+l?-1:0});return h.at=[c,l],s(h,c,l),h})});return Ot(i,a,m=>{for(let c of a.flat())g(c,{tabindex:c.at===m?0:-1});r(...m)}),a}function Ot(t,e,n){let s=i=>i.target.closest("[role=gridcell]")?.at,r=(i,a)=>a[H(i,0,a.length-1)],o=(i,a)=>{let f=r(a,r(i,e));f.focus(),n(f.at)};t.getRootNode().addEventListener("focusin",i=>{t.contains(i.target)&&n(s(i))}),t.addEventListener("click",i=>s(i)&&o(...s(i))),t.addEventListener("keydown",i=>{let a=Dt[i.key];if(!a||i.shiftKey)return;i.preventDefault();let[f,m]=s(i);o(f+a[0],m+a[1])})}var Rt=[[12,5,"start"],[0,-14,"middle"],[0,26,"middle"],[-12,5,"end"],[10,-12,"start"],[10,24,"start"],[-10,-12,"end"],[-10,24,"end"],[0,-32,"middle"],[0,44,"middle"]],Pt={start:0,middle:.5,end:1};function z({text:t,x:e,y:n,anchor:s,strong:r}){let o=t.length*8.2*(r?1.06:1),i=e-o*Pt[s];return{left:i,right:i+o,top:n-16+4,bottom:n+4}}var dt=([t,e],n)=>({left:t-n,right:t+n,top:e-n,bottom:e+n}),Ht=({from:t,to:e,thick:n})=>Array.from({length:12},(s,r)=>dt(t.map((o,i)=>o+(r+1)/13*(e[i]-o)),n/2)),_t=(t,e)=>t.left<e.right&&e.left<t.right&&t.top<e.bottom&&e.top<t.bottom,lt=({left:t,right:e,top:n,bottom:s},[r,o])=>Math.hypot(Math.max(t-r,0,r-e),Math.max(n-o,0,o-s));function pt(t,{named:e,bands:n,width:s,height:r}){let o=t.map(c=>dt(c.at,7)),i=n.flatMap(Ht),a=e.map(z),f=[],m=(c,w)=>{let u=c.left<0||c.right>s||c.top<0||c.bottom>r,l=y=>y.filter(b=>_t(c,b)).length,h=t.some(y=>lt(c,y.at)<lt(c,w)-1);return 40*u+30*l(a)+12*l(o)+l(i)+12*h};for(let c of t){let u=Rt.map(([l,h,y],b)=>{let d={...c,x:c.at[0]+l,y:c.at[1]+h,anchor:y};return{there:d,cost:m(z(d),c.at)+b/10}}).reduce((l,h)=>h.cost<l.cost?h:l);!c.inside&&u.cost>=30||(a.push(z(u.there)),f.push(u.there))}return f}var ft=12,ut=.14,qt=.28,mt=t=>({...t,frame:Gt(t.x)});function Gt(t){let e=a=>[...t.map(f=>f[a]),0],n=[0,1].map(a=>Math.min(...e(a))),s=[0,1].map(a=>Math.max(...e(a))),r=ut*(Math.max(s[0]-n[0],s[1]-n[1])||1),[o,i]=s.map(a=>a+r);return[n.map(a=>a-r),[o+r*qt/ut,i]]}function ht({sentences:t,x:e,asks:n,vocabulary:s}){let r=t[0];return{text:r,x:e,asks:n,wanted:_(r,s).tokens[n]}}function _(t,e){let n=t.match(/[^\s.,;:!?]+/g)??[],s=e.map(a=>a.toLowerCase()),r=n.map(a=>s.indexOf(a.toLowerCase())),o=r.filter(a=>a>=0),i=n.filter((a,f)=>r[f]<0);return{tokens:o.slice(0,ft),unknown:i,left:o.length>ft}}function xt(t,e,n){let{tokens:s}=_(e,n),r=s[t.asks]===t.wanted?t.asks:s.indexOf(t.wanted);return{...t,text:e,asks:r<0?Math.max(0,s.length-1):r}}function q(t,e,n){return{...t,asks:e,wanted:_(t.text,n).tokens[e]}}var Kt=t=>Math.round(t*100)/100+0;function gt(t,e,n,[s,r]){let o=n.map((i,a)=>Kt(H(i,s[a],r[a])));return{...t,x:t.x.map((i,a)=>a===e?o:i)}}function wt({text:t,x:e,asks:n},{vocabulary:s}){let{tokens:r,unknown:o,left:i}=_(t,s);if(!r.length)return{tokens:r,unknown:o,left:i,asks:null};let a=r.map(u=>e[u]),f=a.map(u=>it(a[n],u)),{shares:m}=at(f),c=[0,1].map(u=>C(a.map((l,h)=>m[h]*l[u]))),w=e.map((u,l)=>C(m.filter((h,y)=>r[y]===l)));return{tokens:r,unknown:o,left:i,asks:n,word:r[n],scores:f,shares:m,after:c,drawn:w}}var T=480,R=400,P=30,Wt=.1,Yt=4,Ft=3,Ut={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,1],ArrowDown:[0,-1]};function zt([t,e]){let[n,s]=[0,1].map(c=>e[c]-t[c]),r=Math.min(T/n,R/s),o=(T-r*n)/2,i=(R-r*s)/2,a=([c,w])=>[o+r*(c-t[0]),i+r*(e[1]-w)],f=([c,w])=>[(c-o)/r+t[0],e[1]-(w-i)/r],m=[f([0,R]),f([T,0])];return{pixels:a,place:f,ends:m}}function yt(t,e){let{vocabulary:n,frame:s,axes:r}=e.data,o=p(t,"svg",{class:"plane glides",viewBox:`0 0 ${T} ${R}`}),i=zt(s),a=Xt(o,i,r),f={class:"drag e s",x:T-4,y:a[1].x<T/4?16:R-5},m=p(o,"text",f,"drag a word, or click one to let it ask"),c=n.map(()=>p(o,"path",{stroke:"var(--weight)"})),w=p(o,"circle",{fill:"none",stroke:"var(--weight)"}),u=p(o,"path",{stroke:"var(--output)","stroke-width":2.5,"stroke-dasharray":5}),l=n.map((b,d)=>Jt(o,e,i,d)),h=p(o,"path",{d:"M0,-10L9,0L0,10L-9,0Z",fill:"var(--output)"}),y=Qt(o,n,a);return({x:b},d)=>{g(m,D(b===e.data.x));let x=b.map(i.pixels),{asks:k,word:E,drawn:A}=d,L=k===null,v=L?null:i.pixels(d.after);for(let S of[w,u,h])g(S,D(!L));x.forEach((S,I)=>l[I](S,b[I],d));let M=L?[]:Bt(x,d);if(c.forEach((S,I)=>{let B=M[I]>0&&!G(x[I],x[E]);g(S,D(B)),B&&g(S,{d:K(x[E],x[I]),"stroke-width":P*M[I]})}),y(x,v,d),L)return;let N=P*C(A.filter((S,I)=>G(x[I],x[E])));g(w,{...Vt(x[E]),r:9+N/2,"stroke-width":N}),g(u,{d:K(x[E],v)}),g(h,{transform:`translate(${v})`})}}function Bt(t,{drawn:e}){let n=t.map(s=>t.findIndex(r=>G(r,s)));return t.map((s,r)=>n[r]===r?C(e.filter((o,i)=>n[i]===r)):0)}var G=(t,e)=>Math.hypot(t[0]-e[0],t[1]-e[1])<Yt,Vt=([t,e])=>({cx:t,cy:e}),K=(t,e)=>`M${t}L${e}`;function Xt(t,{pixels:e,ends:[n,s]},[r,o]){let i={stroke:"currentColor","stroke-opacity":.25};p(t,"path",{d:K(e([n[0],0]),e([s[0],0])),...i}),p(t,"path",{d:K(e([0,n[1]]),e([0,s[1]])),...i});let[a,f]=e([0,0]),m=[{text:`${r} →`,x:T-4,y:f+24,anchor:"end"},{text:`${o} ↑`,x:a+10,y:16,anchor:"start"}];for(let c of m)p(t,"text",{"text-anchor":c.anchor,x:c.x,y:c.y},c.text);return m}function Jt(t,{data:e,act:n},{pixels:s,place:r},o){let i=e.vocabulary[o],a=p(t,"g",{class:"dot",role:"button"});p(a,"circle",{r:17,fill:"transparent"});let f=p(a,"circle",{r:6.5});p(a,"circle",{r:12,class:"ring"});let m=null,c=()=>m!==null&&n(q,m,e.vocabulary),w=l=>n(gt,o,l,e.frame),u=[0,0];return Zt(t,a,{from:()=>s(u),to:l=>w(r(l)),click:c}),a.addEventListener("keydown",l=>{let h=Ut[l.key];if(h)w(u.map((y,b)=>y+Wt*h[b]));else if(l.key==="Enter"||l.key===" ")c();else return;l.preventDefault()}),(l,h,{tokens:y,asks:b,word:d})=>{u=h,m=y.includes(o)?y.indexOf(o):null;let x=m!==null,k=e.axes.map((A,L)=>`${A} ${$(h[L])}`).join(", "),E=b!==null&&o===d?", asks":"";g(a,{transform:`translate(${l})`,tabindex:x?0:-1,"aria-label":`${i}${E}: ${k}. Arrows move it, Enter lets it ask.`}),g(f,{fill:E?"var(--query)":"currentColor","fill-opacity":x?1:.45})}}function Zt(t,e,{from:n,to:s,click:r}){let o=null;Y(e),e.addEventListener("pointerdown",i=>{let[a,f]=F(t,i),[m,c]=n();o={right:a,down:f,off:[m-a,c-f],moved:!1},e.setPointerCapture(i.pointerId)}),e.addEventListener("pointermove",i=>{if(!o)return;let[a,f]=F(t,i);o.moved||=Math.hypot(a-o.right,f-o.down)>Ft,o.moved&&(t.classList.remove("glides"),s([a+o.off[0],f+o.off[1]]))});for(let i of["pointerup","pointercancel"])e.addEventListener(i,()=>{o&&!o.moved&&i==="pointerup"&&r(),o=null,t.classList.add("glides")})}function Qt(t,e,n){let s=[...e,"now"].map(()=>p(t,"text",{class:"tint"}));return(r,o,i)=>{let{tokens:a,asks:f,word:m,drawn:c}=i,w=[];r.forEach((d,x)=>{let k=w.find(A=>G(A.at,d)),E=a.includes(x);k&&k.inside===E?k.words.push(x):w.push({at:d,words:[x],inside:E,node:x})});let u=d=>a.includes(d)?`${e[d]} ${d===m?"asks":$(c[d])}`:e[d],l=w.map(d=>({...d,text:d.words.map(u).join(", "),strong:d.words.includes(m)&&f!==null})),h={at:o,text:`${e[m]} now`,strong:!0,inside:!0};o&&l.unshift({...h,node:e.length}),l.sort((d,x)=>x.strong+x.inside-d.strong-d.inside);let y=r.map((d,x)=>({from:r[m],to:d,thick:P*c?.[x]})).filter((d,x)=>x!==m&&d.thick>2),b=pt(l,{named:n,bands:y,width:T,height:R});s.forEach((d,x)=>{let k=b.find(A=>A.node===x);if(g(d,D(k)),!k)return;let E={class:k.strong?"tint b":"tint",opacity:k.inside?null:.75};g(et(d,k.x,k.y),{...E,"text-anchor":k.anchor},k.text)})}}function bt(t,{data:e,act:n}){let{vocabulary:s,axes:r}=e,o=p(t,"div",{class:"list"}),i=p(o,"div",{class:"told"}),a=p(o,"div"),f=p(o,"p");p(f,"span",{class:"out","aria-hidden":"true"},"◆ ");let m=p(f,"span"),c=[],w=null;function u(l){let h=(d,x)=>{p(d,"span",{},s[l[x]]),p(d,"i"),p(d,"b")};a.replaceChildren();let y=d=>n(q,d,s),b=l.map(()=>1);c=ct(a,"the sentence: who asks?",b,h,y).map(([d])=>d),w=String(l)}return({tokens:l,asks:h,word:y,shares:b,after:[d,x]=[]})=>{w!==String(l)&&u(l);let k=h===null,E=`${s[y]} asks. The thicker a line, the larger the share that it takes.`;if(g(i,{},k?"":E),g(f,{hidden:k?"":null}),k)return;let A=`${r[0]} ${$(d)}, ${r[1]} ${$(x)}`;g(m,{},`what comes out for ${s[y]}: ${A}`),c.forEach((L,v)=>{let[,M,N]=L.children,S=v===h?"asks, keeps":"gives";g(L,{class:v===h?"asks":null,tabindex:v===h?0:-1,"aria-label":`${s[l[v]]} ${S} ${$(b[v])}`}),g(M,{style:`height:${P*b[v]}px`}),g(N,{},$(b[v]))})}}var kt=`
.map { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; }
.plane { flex: 1 1 400px; max-width: 528px; min-width: 0; }
.plane text { font-size: 15px; }
.dot { cursor: grab; outline: none; }
.dot:active { cursor: grabbing; }
.dot:focus-visible .ring { stroke: currentColor; stroke-width: 2; }
.list { flex: 1 1 250px; max-width: 330px; }
.told { margin-bottom: 6px; }
.list [role=gridcell] {
  display: grid; grid-template-columns: 92px 1fr 44px; gap: 8px; align-items: center;
  height: 34px; padding: 0 8px; border-radius: 6px; border: 2.5px solid transparent;
}
.list .asks { border-color: var(--query); font-weight: 600; }
.list [role=gridcell]:focus-visible { outline: 2px solid currentColor; outline-offset: 1px; }
.list b { font-weight: 600; text-align: right; }
.list span { overflow: hidden; text-overflow: ellipsis; }
.list i { display: block; background: var(--weight); print-color-adjust: exact; }
@media print { .drag { display: none; } }
.list p { min-height: 0; margin: 8px 0 0; }
.out { color: var(--output); }
.bar label { max-width: 100%; }
.bar select { min-width: 0; }
.typed { width: min(270px, 60vw); }
`;function vt(t,e){let n=p(t,"div",{class:"map"}),s=yt(n,e),r=bt(n,e);return(o,i)=>{s(o,i),r(i)}}function Et({x:t},e,{vocabulary:n,axes:s}){let{tokens:r,unknown:o,left:i,asks:a,shares:f,scores:m,after:c,word:w}=e,u=[];if(o.length&&u.push([`Not on the map: ${o.join(", ")}. `]),i&&u.push(["Only the first 12 words are read. "]),a===null)return[...u,[`The map has ${n.join(", ")}.`]];let l=f.indexOf(Math.max(...f)),h=[0,1].map(b=>`${O(t[w][b])} · ${st(t[r[l]][b])}`),y=[[n[r[l]],"key"],[` fits best, ${h.join(" + ")} = ${O(m[l])}, and gives most, `],[$(f[l]),"weight"],["."]];return Math.max(...m)-Math.min(...m)<1e-9&&y.splice(0,4,["All fit alike and give "],[$(f[l]),"weight"],[" each."]),[...u,[n[w],"query"],[" asks: how well do you fit me? "],...y,[" Out comes "],[`${s[0]} ${$(c[0])}, ${s[1]} ${$(c[1])}`,"output"],["."]]}function jt(t,{act:e,data:n,reset:s}){let{sentences:r,vocabulary:o}=n,i=X(t),a=u=>e(xt,u,o),f=Z(i,"sentence",r[0],r,a),c=J(i,"or type",{type:"text",spellcheck:"false",autocomplete:"off",class:"typed"},u=>a(u.value));return U(i,"Reset",s),{update:({text:u})=>{f.value=r.includes(u)?u:"",Q(c,u)}}}var $t=rt({prepare:mt,begin:ht,compute:wt,controls:jt,draw:vt,explain:Et,style:kt});ot("live-00000000",$t);
