// cdda4f4ac8536163d60829264c9c9efab863f96d9c27452ccca0caaaa842b843
var V="http://www.w3.org/2000/svg";var Y=t=>t.namespaceURI===V;function w(t,e,n){for(let[i,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(i):t.setAttribute(i,r);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function u(t,e,n={},i){let o=e==="svg"||Y(t)?document.createElementNS(V,e):document.createElement(e);return w(o,n,i),t.append(o),o}var C=t=>({visibility:t?null:"hidden"});function W(t,e){let n=t.getScreenCTM();return[(e.clientX-n.e)/n.a,(e.clientY-n.f)/n.d]}var X=t=>u(t,"div",{class:"bar"});function z(t,e,n,i){let r=u(u(t,"label",{},e),"input",n);return r.addEventListener("input",()=>i(r)),r}function J(t,e,n,i,r){let o=u(u(t,"label",{},e),"select",{value:n});for(let s of i)u(o,"option",{value:s},s);return o.value=n,o.addEventListener("input",()=>r(o.value)),o}function Z(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function F(t,e,n){let i=u(t,"button",{type:"button"},e);return i.addEventListener("click",n),i}function Q(t){let e=u(t,"p",{"aria-live":"polite"}),n="";return i=>{let r=i.map(o=>o[0]).join("");r!==n&&(n=r,e.replaceChildren(...i.map(o=>$t(...o))))}}function $t(t,e){let n=document.createElement("span");return n.textContent=t,e&&w(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var Lt=220,j=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${Lt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function tt(t,e,n,i=0){return w(t,{style:`transform:translate(${e}px,${n}px) rotate(${i}deg)`})}var et=`
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
.edit { cursor: ns-resize; touch-action: none; }
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
.role { text-decoration: underline 3px; text-underline-offset: 3px; }
[hidden] { display: none; }
.stepper { display: inline-flex; gap: 6px; }
button:disabled { opacity: .45; }
canvas { display: block; image-rendering: pixelated; }
.scroll { overflow-x: auto; padding: 3px; margin: -3px; }
.stage, .stage svg { position: relative; }
.stage canvas { position: absolute; }
${j}
@media print {
  :host { break-inside: avoid; }
  .bar { display: none; }
  .scroll { overflow: visible; }
  .stage { min-width: 0 !important; }
}
`;function nt(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||Mt(this,e)}};customElements.define(t,n)}function Mt(t,e){let n=JSON.parse(t.dataset.live),i=t.attachShadow({mode:"open"});u(i,"style",{},et);let r=u(i,"div",{class:"live",role:"group","aria-label":n.title});for(let s in n.roles)r.style.setProperty(`--${s}`,n.roles[s]);e(r,n),w(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),i.addEventListener("keydown",s=>St(s,t));let o=t.previousElementSibling;o?.classList.contains("live-fallback")&&t.append(o)}function St(t,e){t.ctrlKey||t.metaKey||t.altKey||t.key==="Tab"||(t.stopPropagation(),t.key==="Escape"&&(e.shadowRoot.activeElement?.blur(),e.parentElement?.closest("[tabindex]")?.focus()))}function ot({prepare:t=a=>a,begin:e,compute:n,controls:i,draw:r,explain:o,style:s}){return(a,d)=>{let f=t(d);s&&u(a,"style",{},s);let c={data:f,state:e(f),act:b,reset:()=>b(()=>e(f))},g=i(a,c),m=Q(a),p=r(a,c,g.number);function x(){let{state:l}=c,h=n(l,f);g.update(l),p(l,h),m(o(l,h,f))}let y=At(x);function b(l,...h){c.state=l(c.state,...h),y()}x()}}function At(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}function E(t,e=2){if(Number.isNaN(t))return"–";if(!Number.isFinite(t))return t>0?"∞":"−∞";let n=It(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function It(t,e){return t>=1e4||t>0&&t<1e-9?t.toExponential(1):t.toFixed(t>=100?Math.min(1,e):e)}var N=t=>E(t).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,""),rt=t=>N(t)[0]==="−"?`(${N(t)})`:N(t);var H=(t,e,n)=>Math.max(e,Math.min(n,t)),T=t=>t.reduce((e,n)=>e+n,0),st=(t,e)=>t.reduce((n,i,r)=>n+i*e[r],0);function it(t,e=t.map(()=>!0)){let n=Math.max(...t.filter((o,s)=>e[s]));if(n===-1/0)return{shares:t.map(()=>0),sum:0,largest:n};let i=t.map((o,s)=>e[s]?Math.exp(o-n):0),r=T(i);return{shares:i.map(o=>o/r),sum:r,largest:n}}var Tt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function at(t,e,n,i,r){let o=Y(t)?"g":"div",s=u(t,o,{role:"grid","aria-label":e}),a=n.map((f,c)=>{let g=u(s,o,{role:"row"});return Array.from({length:f},(m,p)=>{let x=u(g,o,{role:"gridcell",tabindex:c+p?-1:0});return x.at=[c,p],i(x,c,p),x})});return Ct(s,a,f=>{for(let c of a.flat())w(c,{tabindex:c.at===f?0:-1});r(...f)}),a}function Ct(t,e,n){let i=s=>s.target.closest("[role=gridcell]")?.at,r=(s,a)=>a[H(s,0,a.length-1)],o=(s,a)=>{let d=r(a,r(s,e));d.focus(),n(d.at)};t.getRootNode().addEventListener("focusin",s=>{t.contains(s.target)&&n(i(s))}),t.addEventListener("click",s=>i(s)&&o(...i(s))),t.addEventListener("keydown",s=>{let a=Tt[s.key];if(!a||s.shiftKey)return;s.preventDefault();let[d,f]=i(s);o(d+a[0],f+a[1])})}var Nt=[[12,5,"start"],[0,-14,"middle"],[0,26,"middle"],[-12,5,"end"],[10,-12,"start"],[10,24,"start"],[-10,-12,"end"],[-10,24,"end"],[0,-32,"middle"],[0,44,"middle"]],Rt={start:0,middle:.5,end:1};function U({text:t,x:e,y:n,anchor:i,strong:r}){let o=t.length*8.2*(r?1.06:1),s=e-o*Rt[i];return{left:s,right:s+o,top:n-16+4,bottom:n+4}}var lt=([t,e],n)=>({left:t-n,right:t+n,top:e-n,bottom:e+n}),Dt=({from:t,to:e,thick:n})=>Array.from({length:12},(i,r)=>lt(t.map((o,s)=>o+(r+1)/13*(e[s]-o)),n/2)),Ot=(t,e)=>t.left<e.right&&e.left<t.right&&t.top<e.bottom&&e.top<t.bottom,ct=({left:t,right:e,top:n,bottom:i},[r,o])=>Math.hypot(Math.max(t-r,0,r-e),Math.max(n-o,0,o-i));function pt(t,{named:e,bands:n,width:i,height:r}){let o=t.map(c=>lt(c.at,7)),s=n.flatMap(Dt),a=e.map(U),d=[],f=(c,g)=>{let m=c.left<0||c.right>i||c.top<0||c.bottom>r,p=y=>y.filter(b=>Ot(c,b)).length,x=t.some(y=>ct(c,y.at)<ct(c,g)-1);return 40*m+30*p(a)+12*p(o)+p(s)+12*x};for(let c of t){let m=Nt.map(([p,x,y],b)=>{let l={...c,x:c.at[0]+p,y:c.at[1]+x,anchor:y};return{there:l,cost:f(U(l),c.at)+b/10}}).reduce((p,x)=>x.cost<p.cost?x:p);!c.inside&&m.cost>=30||(a.push(U(m.there)),d.push(m.there))}return d}var dt=12,ut=.14,Pt=.28,ft=t=>({...t,frame:Ht(t.x)});function Ht(t){let e=a=>[...t.map(d=>d[a]),0],n=[0,1].map(a=>Math.min(...e(a))),i=[0,1].map(a=>Math.max(...e(a))),r=ut*(Math.max(i[0]-n[0],i[1]-n[1])||1),[o,s]=i.map(a=>a+r);return[n.map(a=>a-r),[o+r*Pt/ut,s]]}function mt({sentences:t,x:e,asks:n,vocabulary:i}){let r=t[0];return{text:r,x:e,asks:n,wanted:_(r,i).tokens[n]}}function _(t,e){let n=t.match(/[^\s.,;:!?]+/g)??[],i=e.map(a=>a.toLowerCase()),r=n.map(a=>i.indexOf(a.toLowerCase())),o=r.filter(a=>a>=0),s=n.filter((a,d)=>r[d]<0);return{tokens:o.slice(0,dt),unknown:s,left:o.length>dt}}function ht(t,e,n){let{tokens:i}=_(e,n),r=i[t.asks]===t.wanted?t.asks:i.indexOf(t.wanted);return{...t,text:e,asks:r<0?Math.max(0,i.length-1):r}}function q(t,e,n){return{...t,asks:e,wanted:_(t.text,n).tokens[e]}}var _t=t=>Math.round(t*100)/100+0;function xt(t,e,n,[i,r]){let o=n.map((s,a)=>_t(H(s,i[a],r[a])));return{...t,x:t.x.map((s,a)=>a===e?o:s)}}function gt({text:t,x:e,asks:n},{vocabulary:i}){let{tokens:r,unknown:o,left:s}=_(t,i);if(!r.length)return{tokens:r,unknown:o,left:s,asks:null};let a=r.map(m=>e[m]),d=a.map(m=>st(a[n],m)),{shares:f}=it(d),c=[0,1].map(m=>T(a.map((p,x)=>f[x]*p[m]))),g=e.map((m,p)=>T(f.filter((x,y)=>r[y]===p)));return{tokens:r,unknown:o,left:s,asks:n,word:r[n],scores:d,shares:f,after:c,drawn:g}}var I=480,R=400,D=30,qt=.1,Gt=4,Kt=3,Yt={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,1],ArrowDown:[0,-1]};function Wt([t,e]){let[n,i]=[0,1].map(c=>e[c]-t[c]),r=Math.min(I/n,R/i),o=(I-r*n)/2,s=(R-r*i)/2,a=([c,g])=>[o+r*(c-t[0]),s+r*(e[1]-g)],d=([c,g])=>[(c-o)/r+t[0],e[1]-(g-s)/r],f=[d([0,R]),d([I,0])];return{pixels:a,place:d,ends:f}}function wt(t,e){let{vocabulary:n,frame:i,axes:r}=e.data,o=u(t,"svg",{class:"plane glides",viewBox:`0 0 ${I} ${R}`}),s=Wt(i),a=Bt(o,s,r),d={class:"drag e s",x:I-4,y:a[1].x<I/4?16:R-5},f=u(o,"text",d,"drag a word, or click one to let it ask"),c=n.map(()=>u(o,"path",{stroke:"var(--weight)"})),g=u(o,"circle",{fill:"none",stroke:"var(--weight)"}),m=u(o,"path",{stroke:"var(--output)","stroke-width":2.5,"stroke-dasharray":5}),p=n.map((b,l)=>Vt(o,e,s,l)),x=u(o,"path",{d:"M0,-10L9,0L0,10L-9,0Z",fill:"var(--output)"}),y=zt(o,n,a);return({x:b},l)=>{w(f,C(b===e.data.x));let h=b.map(s.pixels),{asks:k,word:v,drawn:L}=l,M=k===null,$=M?null:s.pixels(l.after);for(let S of[g,m,x])w(S,C(!M));h.forEach((S,A)=>p[A](S,b[A],l));let O=M?[]:Ft(h,l);if(c.forEach((S,A)=>{let B=O[A]>0&&!G(h[A],h[v]);w(S,C(B)),B&&w(S,{d:K(h[v],h[A]),"stroke-width":D*O[A]})}),y(h,$,l),M)return;let P=D*T(L.filter((S,A)=>G(h[A],h[v])));w(g,{...Ut(h[v]),r:9+P/2,"stroke-width":P}),w(m,{d:K(h[v],$)}),w(x,{transform:`translate(${$})`})}}function Ft(t,{drawn:e}){let n=t.map(i=>t.findIndex(r=>G(r,i)));return t.map((i,r)=>n[r]===r?T(e.filter((o,s)=>n[s]===r)):0)}var G=(t,e)=>Math.hypot(t[0]-e[0],t[1]-e[1])<Gt,Ut=([t,e])=>({cx:t,cy:e}),K=(t,e)=>`M${t}L${e}`;function Bt(t,{pixels:e,ends:[n,i]},[r,o]){let s={stroke:"currentColor","stroke-opacity":.25};u(t,"path",{d:K(e([n[0],0]),e([i[0],0])),...s}),u(t,"path",{d:K(e([0,n[1]]),e([0,i[1]])),...s});let[a,d]=e([0,0]),f=[{text:`${r} →`,x:I-4,y:d+24,anchor:"end"},{text:`${o} ↑`,x:a+10,y:16,anchor:"start"}];for(let c of f)u(t,"text",{"text-anchor":c.anchor,x:c.x,y:c.y},c.text);return f}function Vt(t,{data:e,act:n},{pixels:i,place:r},o){let s=e.vocabulary[o],a=u(t,"g",{class:"dot",role:"button"});u(a,"circle",{r:17,fill:"transparent"});let d=u(a,"circle",{r:6.5});u(a,"circle",{r:12,class:"ring"});let f=null,c=()=>f!==null&&n(q,f,e.vocabulary),g=p=>n(xt,o,p,e.frame),m=[0,0];return Xt(t,a,{from:()=>i(m),to:p=>g(r(p)),click:c}),a.addEventListener("keydown",p=>{let x=Yt[p.key];if(x)g(m.map((y,b)=>y+qt*x[b]));else if(p.key==="Enter"||p.key===" ")c();else return;p.preventDefault()}),(p,x,{tokens:y,asks:b,word:l})=>{m=x,f=y.includes(o)?y.indexOf(o):null;let h=f!==null,k=e.axes.map((L,M)=>`${L} ${E(x[M])}`).join(", "),v=b!==null&&o===l?", asks":"";w(a,{transform:`translate(${p})`,tabindex:h?0:-1,"aria-label":`${s}${v}: ${k}. Arrows move it, Enter lets it ask.`}),w(d,{fill:v?"var(--query)":"currentColor","fill-opacity":h?1:.45})}}function Xt(t,e,{from:n,to:i,click:r}){let o=null;e.addEventListener("touchstart",s=>s.preventDefault(),{passive:!1}),e.addEventListener("pointerdown",s=>{let[a,d]=W(t,s),[f,c]=n();o={right:a,down:d,off:[f-a,c-d],moved:!1},e.setPointerCapture(s.pointerId)}),e.addEventListener("pointermove",s=>{if(!o)return;let[a,d]=W(t,s);o.moved||=Math.hypot(a-o.right,d-o.down)>Kt,o.moved&&(t.classList.remove("glides"),i([a+o.off[0],d+o.off[1]]))});for(let s of["pointerup","pointercancel"])e.addEventListener(s,()=>{o&&!o.moved&&s==="pointerup"&&r(),o=null,t.classList.add("glides")})}function zt(t,e,n){let i=[...e,"now"].map(()=>u(t,"text",{class:"tint"}));return(r,o,s)=>{let{tokens:a,asks:d,word:f,drawn:c}=s,g=[];r.forEach((l,h)=>{let k=g.find(L=>G(L.at,l)),v=a.includes(h);k&&k.inside===v?k.words.push(h):g.push({at:l,words:[h],inside:v,node:h})});let m=l=>a.includes(l)?`${e[l]} ${l===f?"asks":E(c[l])}`:e[l],p=g.map(l=>({...l,text:l.words.map(m).join(", "),strong:l.words.includes(f)&&d!==null})),x={at:o,text:`${e[f]} now`,strong:!0,inside:!0};o&&p.unshift({...x,node:e.length}),p.sort((l,h)=>h.strong+h.inside-l.strong-l.inside);let y=r.map((l,h)=>({from:r[f],to:l,thick:D*c?.[h]})).filter((l,h)=>h!==f&&l.thick>2),b=pt(p,{named:n,bands:y,width:I,height:R});i.forEach((l,h)=>{let k=b.find(L=>L.node===h);if(w(l,C(k)),!k)return;let v={class:k.strong?"tint b":"tint",opacity:k.inside?null:.75};w(tt(l,k.x,k.y),{...v,"text-anchor":k.anchor},k.text)})}}function yt(t,{data:e,act:n}){let{vocabulary:i,axes:r}=e,o=u(t,"div",{class:"list"}),s=u(o,"div",{class:"told"}),a=u(o,"div"),d=u(o,"p");u(d,"span",{class:"out","aria-hidden":"true"},"◆ ");let f=u(d,"span"),c=[],g=null;function m(p){let x=(l,h)=>{u(l,"span",{},i[p[h]]),u(l,"i"),u(l,"b")};a.replaceChildren();let y=l=>n(q,l,i),b=p.map(()=>1);c=at(a,"the sentence: who asks?",b,x,y).map(([l])=>l),g=String(p)}return({tokens:p,asks:x,word:y,shares:b,after:[l,h]=[]})=>{g!==String(p)&&m(p);let k=x===null,v=`${i[y]} asks. The thicker a line, the larger the share that it takes.`;if(w(s,{},k?"":v),w(d,{hidden:k?"":null}),k)return;let L=`${r[0]} ${E(l)}, ${r[1]} ${E(h)}`;w(f,{},`what comes out for ${i[y]}: ${L}`),c.forEach((M,$)=>{let[,O,P]=M.children,S=$===x?"asks, keeps":"gives";w(M,{class:$===x?"asks":null,tabindex:$===x?0:-1,"aria-label":`${i[p[$]]} ${S} ${E(b[$])}`}),w(O,{style:`height:${D*b[$]}px`}),w(P,{},E(b[$]))})}}var bt=`
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
`;function kt(t,e){let n=u(t,"div",{class:"map"}),i=wt(n,e),r=yt(n,e);return(o,s)=>{i(o,s),r(s)}}function vt({x:t},e,{vocabulary:n,axes:i}){let{tokens:r,unknown:o,left:s,asks:a,shares:d,scores:f,after:c,word:g}=e,m=[];if(o.length&&m.push([`Not on the map: ${o.join(", ")}. `]),s&&m.push(["Only the first 12 words are read. "]),a===null)return[...m,[`The map has ${n.join(", ")}.`]];let p=d.indexOf(Math.max(...d)),x=[0,1].map(b=>`${N(t[g][b])} · ${rt(t[r[p]][b])}`),y=[[n[r[p]],"key"],[` fits best, ${x.join(" + ")} = ${N(f[p])}, and gives most, `],[E(d[p]),"weight"],["."]];return Math.max(...f)-Math.min(...f)<1e-9&&y.splice(0,4,["All fit alike and give "],[E(d[p]),"weight"],[" each."]),[...m,[n[g],"query"],[" asks: how well do you fit me? "],...y,[" Out comes "],[`${i[0]} ${E(c[0])}, ${i[1]} ${E(c[1])}`,"output"],["."]]}function Jt(t,{act:e,data:n,reset:i}){let{sentences:r,vocabulary:o}=n,s=X(t),a=m=>e(ht,m,o),d=J(s,"sentence",r[0],r,a),c=z(s,"or type",{type:"text",spellcheck:"false",autocomplete:"off",class:"typed"},m=>a(m.value));return F(s,"Reset",i),{update:({text:m})=>{d.value=r.includes(m)?m:"",Z(c,m)}}}var Et=ot({prepare:ft,begin:mt,compute:gt,controls:Jt,draw:kt,explain:vt,style:bt});nt("live-00000000",Et);
