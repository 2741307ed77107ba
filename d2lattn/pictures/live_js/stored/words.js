// e7d5985c812054b13857f1c5b520f55cc8180a3c1e305759cac1cf9e0683b8d4
var V="http://www.w3.org/2000/svg";var K=t=>t.namespaceURI===V;function w(t,n,e){for(let[i,r]of Object.entries(n))r===null||r===!1?t.removeAttribute(i):t.setAttribute(i,r);return e!==void 0&&t.textContent!==String(e)&&(t.textContent=e),t}function f(t,n,e={},i){let o=n==="svg"||K(t)?document.createElementNS(V,n):document.createElement(n);return w(o,e,i),t.append(o),o}var C=t=>({visibility:t?null:"hidden"});function Y(t,n){let e=t.getScreenCTM();return[(n.clientX-e.e)/e.a,(n.clientY-e.f)/e.d]}var X=t=>f(t,"div",{class:"bar"});function z(t,n,e,i){let r=f(f(t,"label",{},n),"input",e);return r.addEventListener("input",()=>i(r)),r}function J(t,n,e,i,r){let o=f(f(t,"label",{},n),"select",{value:e});for(let s of i)f(o,"option",{value:s},s);return o.value=e,o.addEventListener("input",()=>r(o.value)),o}function Z(t,n){t.getRootNode().activeElement!==t&&(t.value=n)}function W(t,n,e){let i=f(t,"button",{type:"button"},n);return i.addEventListener("click",e),i}function Q(t){let n=f(t,"p",{"aria-live":"polite"}),e="";return i=>{let r=i.map(o=>o[0]).join("");r!==e&&(e=r,n.replaceChildren(...i.map(o=>Et(...o))))}}function Et(t,n){let e=document.createElement("span");return e.textContent=t,n&&w(e,{class:"role",style:`text-decoration-color: var(--${n})`}),e}var $t=220,j=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${$t}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function tt(t,n,e,i=0){return w(t,{style:`transform:translate(${n}px,${e}px) rotate(${i}deg)`})}var nt=`
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
`;function et(t,n){if(customElements.get(t))return;let e=class extends HTMLElement{connectedCallback(){this.shadowRoot||Lt(this,n)}};customElements.define(t,e)}function Lt(t,n){let e=JSON.parse(t.dataset.live),i=t.attachShadow({mode:"open"});f(i,"style",{},nt);let r=f(i,"div",{class:"live",role:"group","aria-label":e.title});for(let s in e.roles)r.style.setProperty(`--${s}`,e.roles[s]);n(r,e),w(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),i.addEventListener("keydown",s=>Mt(s,t));let o=t.previousElementSibling;o?.classList.contains("live-fallback")&&t.append(o)}function Mt(t,n){t.ctrlKey||t.metaKey||t.altKey||t.key==="Tab"||(t.stopPropagation(),t.key==="Escape"&&(n.shadowRoot.activeElement?.blur(),n.parentElement?.closest("[tabindex]")?.focus()))}function ot({prepare:t=a=>a,begin:n,compute:e,controls:i,draw:r,explain:o,style:s}){return(a,d)=>{let u=t(d);s&&f(a,"style",{},s);let c={data:u,state:n(u),act:y,reset:()=>y(()=>n(u))},g=i(a,c),m=Q(a),p=r(a,c,g.number);function x(){let{state:l}=c,h=e(l,u);g.update(l),p(l,h),m(o(l,h,u))}let b=St(x);function y(l,...h){c.state=l(c.state,...h),b()}x()}}function St(t){let n=0;return()=>{n||=requestAnimationFrame(()=>{n=0,t()})}}var H=(t,n)=>({...t,...n});function E(t,n=2){if(Number.isNaN(t))return"–";if(!Number.isFinite(t))return t>0?"∞":"−∞";let e=At(Math.abs(t),n);return(t<0&&Number(e)!==0?"−":"")+e}function At(t,n){return t>=1e4||t>0&&t<1e-9?t.toExponential(1):t.toFixed(t>=100?Math.min(1,n):n)}var N=t=>E(t).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,""),rt=t=>N(t)[0]==="−"?`(${N(t)})`:N(t);var _=(t,n,e)=>Math.max(n,Math.min(e,t)),I=t=>t.reduce((n,e)=>n+e,0),st=(t,n)=>t.reduce((e,i,r)=>e+i*n[r],0);function it(t,n=t.map(()=>!0)){let e=Math.max(...t.filter((o,s)=>n[s]));if(e===-1/0)return{shares:t.map(()=>0),sum:0,largest:e};let i=t.map((o,s)=>n[s]?Math.exp(o-e):0),r=I(i);return{shares:i.map(o=>o/r),sum:r,largest:e}}var It={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function at(t,n,e,i,r){let o=K(t)?"g":"div",s=f(t,o,{role:"grid","aria-label":n}),a=e.map((u,c)=>{let g=f(s,o,{role:"row"});return Array.from({length:u},(m,p)=>{let x=f(g,o,{role:"gridcell",tabindex:c+p?-1:0});return x.at=[c,p],i(x,c,p),x})});return Tt(s,a,u=>{for(let c of a.flat())w(c,{tabindex:c.at===u?0:-1});r(...u)}),a}function Tt(t,n,e){let i=s=>s.target.closest("[role=gridcell]")?.at,r=(s,a)=>a[_(s,0,a.length-1)],o=(s,a)=>{let d=r(a,r(s,n));d.focus(),e(d.at)};t.getRootNode().addEventListener("focusin",s=>{t.contains(s.target)&&e(i(s))}),t.addEventListener("click",s=>i(s)&&o(...i(s))),t.addEventListener("keydown",s=>{let a=It[s.key];if(!a||s.shiftKey)return;s.preventDefault();let[d,u]=i(s);o(d+a[0],u+a[1])})}var Ct=[[12,5,"start"],[0,-14,"middle"],[0,26,"middle"],[-12,5,"end"],[10,-12,"start"],[10,24,"start"],[-10,-12,"end"],[-10,24,"end"]],Nt={start:0,middle:.5,end:1};function F({text:t,x:n,y:e,anchor:i,strong:r}){let o=t.length*8.2*(r?1.06:1),s=n-o*Nt[i];return{left:s,right:s+o,top:e-16+4,bottom:e+4}}var ct=([t,n],e)=>({left:t-e,right:t+e,top:n-e,bottom:n+e}),Rt=({from:t,to:n,thick:e})=>Array.from({length:12},(i,r)=>ct(t.map((o,s)=>o+(r+1)/13*(n[s]-o)),e/2)),Ot=(t,n)=>t.left<n.right&&n.left<t.right&&t.top<n.bottom&&n.top<t.bottom;function lt(t,{named:n,bands:e,width:i,height:r}){let o=t.map(c=>ct(c.at,7)),s=e.flatMap(Rt),a=n.map(F),d=[],u=c=>{let g=c.left<0||c.right>i||c.top<0||c.bottom>r,m=p=>p.filter(x=>Ot(c,x)).length;return 40*g+30*m(a)+12*m(o)+2*m(s)};for(let c of t){let m=Ct.map(([p,x,b],y)=>{let l={...c,x:c.at[0]+p,y:c.at[1]+x,anchor:b};return{there:l,cost:u(F(l))+y/10}}).reduce((p,x)=>x.cost<p.cost?x:p);!c.inside&&m.cost>=30||(a.push(F(m.there)),d.push(m.there))}return d}var pt=12,dt=.14,Dt=.28,ft=t=>({...t,frame:Pt(t.x)});function Pt(t){let n=a=>[...t.map(d=>d[a]),0],e=[0,1].map(a=>Math.min(...n(a))),i=[0,1].map(a=>Math.max(...n(a))),r=dt*(Math.max(i[0]-e[0],i[1]-e[1])||1),[o,s]=i.map(a=>a+r);return[e.map(a=>a-r),[o+r*Dt/dt,s]]}var ut=({sentences:t,x:n,asks:e})=>({text:t[0],x:n,asks:e});function U(t,n){let e=t.match(/[^\s.,;:!?]+/g)??[],i=n.map(a=>a.toLowerCase()),r=e.map(a=>i.indexOf(a.toLowerCase())),o=r.filter(a=>a>=0),s=e.filter((a,d)=>r[d]<0);return{tokens:o.slice(0,pt),unknown:s,left:o.length>pt}}function mt(t,n,e){let{tokens:i}=U(t.text,e),{tokens:r}=U(n,e),o=r[t.asks]===i[t.asks]?t.asks:r.indexOf(i[t.asks]);return{...t,text:n,asks:o<0?Math.max(0,r.length-1):o}}var Ht=t=>Math.round(t*100)/100+0;function ht(t,n,e,[i,r]){let o=e.map((s,a)=>Ht(_(s,i[a],r[a])));return{...t,x:t.x.map((s,a)=>a===n?o:s)}}function xt({text:t,x:n,asks:e},{vocabulary:i}){let{tokens:r,unknown:o,left:s}=U(t,i);if(!r.length)return{tokens:r,unknown:o,left:s,asks:null};let a=r.map(m=>n[m]),d=a.map(m=>st(a[e],m)),{shares:u}=it(d),c=[0,1].map(m=>I(a.map((p,x)=>u[x]*p[m]))),g=n.map((m,p)=>I(u.filter((x,b)=>r[b]===p)));return{tokens:r,unknown:o,left:s,asks:e,word:r[e],scores:d,shares:u,after:c,drawn:g}}var T=480,R=400,O=30,_t=.1,qt=4,Gt=3,Kt={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,1],ArrowDown:[0,-1]};function Yt([t,n]){let[e,i]=[0,1].map(c=>n[c]-t[c]),r=Math.min(T/e,R/i),o=(T-r*e)/2,s=(R-r*i)/2,a=([c,g])=>[o+r*(c-t[0]),s+r*(n[1]-g)],d=([c,g])=>[(c-o)/r+t[0],n[1]-(g-s)/r],u=[d([0,R]),d([T,0])];return{pixels:a,place:d,ends:u}}function gt(t,n){let{vocabulary:e,frame:i,axes:r}=n.data,o=f(t,"svg",{class:"plane glides",viewBox:`0 0 ${T} ${R}`}),s=Yt(i),a=Ut(o,s,r),d={class:"e s",x:T-4,y:16},u=f(o,"text",d,"drag a word, or click one to let it ask"),c=e.map(()=>f(o,"path",{stroke:"var(--weight)"})),g=f(o,"circle",{fill:"none",stroke:"var(--weight)"}),m=f(o,"path",{stroke:"var(--output)","stroke-width":2.5,"stroke-dasharray":5}),p=e.map((y,l)=>Bt(o,n,s,l)),x=f(o,"path",{d:"M0,-10L9,0L0,10L-9,0Z",fill:"var(--output)"}),b=Xt(o,e,a);return({x:y},l)=>{w(u,C(y===n.data.x));let h=y.map(s.pixels),{asks:k,word:v,drawn:L}=l,M=k===null,$=M?null:s.pixels(l.after);for(let S of[g,m,x])w(S,C(!M));h.forEach((S,A)=>p[A](S,y[A],l));let D=M?[]:Wt(h,l);if(c.forEach((S,A)=>{let B=D[A]>0&&!q(h[A],h[v]);w(S,C(B)),B&&w(S,{d:G(h[v],h[A]),"stroke-width":O*D[A]})}),b(h,$,l),M)return;let P=O*I(L.filter((S,A)=>q(h[A],h[v])));w(g,{...Ft(h[v]),r:9+P/2,"stroke-width":P}),w(m,{d:G(h[v],$)}),w(x,{transform:`translate(${$})`})}}function Wt(t,{drawn:n}){let e=t.map(i=>t.findIndex(r=>q(r,i)));return t.map((i,r)=>e[r]===r?I(n.filter((o,s)=>e[s]===r)):0)}var q=(t,n)=>Math.hypot(t[0]-n[0],t[1]-n[1])<qt,Ft=([t,n])=>({cx:t,cy:n}),G=(t,n)=>`M${t}L${n}`;function Ut(t,{pixels:n,ends:[e,i]},[r,o]){let s={stroke:"currentColor","stroke-opacity":.25};f(t,"path",{d:G(n([e[0],0]),n([i[0],0])),...s}),f(t,"path",{d:G(n([0,e[1]]),n([0,i[1]])),...s});let[a,d]=n([0,0]),u=[{text:`${r} →`,x:T-4,y:d+24,anchor:"end"},{text:`${o} ↑`,x:a+10,y:16,anchor:"start"}];for(let c of u)f(t,"text",{"text-anchor":c.anchor,x:c.x,y:c.y},c.text);return u}function Bt(t,{data:n,act:e},{pixels:i,place:r},o){let s=n.vocabulary[o],a=f(t,"g",{class:"dot",role:"button"});f(a,"circle",{r:17,fill:"transparent"});let d=f(a,"circle",{r:6.5});f(a,"circle",{r:12,class:"ring"});let u=null,c=()=>u!==null&&e(H,{asks:u}),g=p=>e(ht,o,p,n.frame),m=[0,0];return Vt(t,a,{from:()=>i(m),to:p=>g(r(p)),click:c}),a.addEventListener("keydown",p=>{let x=Kt[p.key];if(x)g(m.map((b,y)=>b+_t*x[y]));else if(p.key==="Enter"||p.key===" ")c();else return;p.preventDefault()}),(p,x,{tokens:b,asks:y,word:l})=>{m=x,u=b.includes(o)?b.indexOf(o):null;let h=u!==null,k=n.axes.map((L,M)=>`${L} ${E(x[M])}`).join(", "),v=y!==null&&o===l?", asks":"";w(a,{transform:`translate(${p})`,tabindex:h?0:-1,"aria-label":`${s}${v}: ${k}. Arrows move it, Enter lets it ask.`}),w(d,{fill:v?"var(--query)":"currentColor","fill-opacity":h?1:.45})}}function Vt(t,n,{from:e,to:i,click:r}){let o=null;n.addEventListener("pointerdown",s=>{let[a,d]=Y(t,s),[u,c]=e();o={right:a,down:d,off:[u-a,c-d],moved:!1},n.setPointerCapture(s.pointerId)}),n.addEventListener("pointermove",s=>{if(!o)return;let[a,d]=Y(t,s);o.moved||=Math.hypot(a-o.right,d-o.down)>Gt,o.moved&&(t.classList.remove("glides"),i([a+o.off[0],d+o.off[1]]))});for(let s of["pointerup","pointercancel"])n.addEventListener(s,()=>{o&&!o.moved&&s==="pointerup"&&r(),o=null,t.classList.add("glides")})}function Xt(t,n,e){let i=[...n,"now"].map(()=>f(t,"text",{class:"tint"}));return(r,o,s)=>{let{tokens:a,asks:d,word:u,drawn:c}=s,g=[];r.forEach((l,h)=>{let k=g.find(L=>q(L.at,l)),v=a.includes(h);k&&k.inside===v?k.words.push(h):g.push({at:l,words:[h],inside:v,node:h})});let m=l=>a.includes(l)?`${n[l]} ${l===u?"asks":E(c[l])}`:n[l],p=g.map(l=>({...l,text:l.words.map(m).join(", "),strong:l.words.includes(u)&&d!==null})),x={at:o,text:`${n[u]} now`,strong:!0,inside:!0};o&&p.unshift({...x,node:n.length}),p.sort((l,h)=>h.strong+h.inside-l.strong-l.inside);let b=r.map((l,h)=>({from:r[u],to:l,thick:O*c?.[h]})).filter((l,h)=>h!==u&&l.thick>2),y=lt(p,{named:e,bands:b,width:T,height:R});i.forEach((l,h)=>{let k=y.find(L=>L.node===h);if(w(l,C(k)),!k)return;let v={class:k.strong?"tint b":"tint",opacity:k.inside?null:.75};w(tt(l,k.x,k.y),{...v,"text-anchor":k.anchor},k.text)})}}function wt(t,{data:n,act:e}){let{vocabulary:i,axes:r}=n,o=f(t,"div",{class:"list"}),s=f(o,"h4"),a=f(o,"div"),d=f(o,"p");f(d,"span",{class:"out","aria-hidden":"true"},"◆ ");let u=f(d,"span"),c=[],g=null;function m(p){let x=(l,h)=>{f(l,"span",{},i[p[h]]),f(l,"i"),f(l,"b")};a.replaceChildren();let b=l=>e(H,{asks:l}),y=p.map(()=>1);c=at(a,"the sentence: who asks?",y,x,b).map(([l])=>l),g=String(p)}return({tokens:p,asks:x,word:b,shares:y,after:[l,h]=[]})=>{g!==String(p)&&m(p);let k=x===null,v=`${i[b]} asks. The thicker a line, the larger the share that it takes.`;if(w(s,{},k?"":v),w(d,{hidden:k?"":null}),k)return;let L=`${r[0]} ${E(l)}, ${r[1]} ${E(h)}`;w(u,{},`what comes out for ${i[b]}: ${L}`),c.forEach((M,$)=>{let[,D,P]=M.children,S=$===x?"asks, keeps":"gives";w(M,{class:$===x?"asks":null,tabindex:$===x?0:-1,"aria-label":`${i[p[$]]} ${S} ${E(y[$])}`}),w(D,{style:`height:${O*y[$]}px`}),w(P,{},E(y[$]))})}}var yt=`
.map { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; }
.plane { flex: 1 1 400px; max-width: 528px; min-width: 0; }
.plane text { font-size: 15px; }
.dot { cursor: grab; touch-action: none; outline: none; }
.dot:active { cursor: grabbing; }
.dot:focus-visible .ring { stroke: currentColor; stroke-width: 2; }
.list { flex: 1 1 250px; max-width: 330px; }
.list h4 { font: inherit; margin: 0 0 6px; }
.list [role=gridcell] {
  display: grid; grid-template-columns: 92px 1fr 44px; gap: 8px; align-items: center;
  height: 34px; padding: 0 8px; border-radius: 6px; border: 2.5px solid transparent;
}
.list .asks { border-color: var(--query); font-weight: 600; }
.list [role=gridcell]:focus-visible { outline: 2px solid currentColor; outline-offset: 1px; }
.list b { font-weight: 600; text-align: right; }
.list span { overflow: hidden; text-overflow: ellipsis; }
.list i { display: block; background: var(--weight); }
.list p { min-height: 0; margin: 8px 0 0; }
.out { color: var(--output); }
.bar label { max-width: 100%; }
.bar select { min-width: 0; }
.typed { width: min(270px, 60vw); }
`;function bt(t,n){let e=f(t,"div",{class:"map"}),i=gt(e,n),r=wt(e,n);return(o,s)=>{i(o,s),r(s)}}function kt({x:t},n,{vocabulary:e,axes:i}){let{tokens:r,unknown:o,left:s,asks:a,shares:d,scores:u,after:c,word:g}=n,m=[];if(o.length&&m.push([`Not on the map: ${o.join(", ")}. `]),s&&m.push(["Only the first 12 words are read. "]),a===null)return[...m,[`The map has ${e.join(", ")}.`]];let p=d.indexOf(Math.max(...d)),x=[0,1].map(y=>`${N(t[g][y])} · ${rt(t[r[p]][y])}`),b=[[e[r[p]],"key"],[` fits best, ${x.join(" + ")} = ${N(u[p])}, and gives most, `],[E(d[p]),"weight"],["."]];return Math.max(...u)-Math.min(...u)<1e-9&&b.splice(0,4,["All fit alike and give "],[E(d[p]),"weight"],[" each."]),[...m,[e[g],"query"],[" asks: how well do you fit me? "],...b,[" Out comes "],[`${i[0]} ${E(c[0])}, ${i[1]} ${E(c[1])}`,"output"],["."]]}function zt(t,{act:n,data:e,reset:i}){let{sentences:r,vocabulary:o}=e,s=X(t),a=m=>n(mt,m,o),d=J(s,"sentence",r[0],r,a),c=z(s,"or type",{type:"text",spellcheck:"false",autocomplete:"off",class:"typed"},m=>a(m.value));return W(s,"Reset",i),{update:({text:m})=>{d.value=r.includes(m)?m:"",Z(c,m)}}}var vt=ot({prepare:ft,begin:ut,compute:xt,controls:zt,draw:bt,explain:kt,style:yt});et("live-00000000",vt);
