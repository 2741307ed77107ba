// 67fd4b823c75d6109334ff73653156b362c9a966d099827b71d2dceec4a68668
var V="http://www.w3.org/2000/svg";var Y=t=>t.namespaceURI===V;function g(t,e,n){for(let[r,o]of Object.entries(e))o===null||o===!1?t.removeAttribute(r):t.setAttribute(r,o);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function u(t,e,n={},r){let s=e==="svg"||Y(t)?document.createElementNS(V,e):document.createElement(e);return g(s,n,r),t.append(s),s}var R=t=>({visibility:t?null:"hidden"});function F(t,e,n,r=()=>{}){let o=null;t.addEventListener("touchmove",s=>s.preventDefault(),{passive:!1}),t.addEventListener("pointerdown",s=>{o=e(s),t.setPointerCapture(s.pointerId)}),t.addEventListener("pointermove",s=>o&&n(s,o));for(let s of["pointerup","pointercancel"])t.addEventListener(s,i=>{o&&r(i,o),o=null})}function U(t,e){let n=t.getScreenCTM();return[(e.clientX-n.e)/n.a,(e.clientY-n.f)/n.d]}var X=t=>u(t,"div",{class:"bar"});function It(t,e,n,r){let o=u(u(t,"label",{},e),"input",n);return o.addEventListener("input",()=>r(o)),o}function J(t,e,n){return It(t,e,{type:"text",spellcheck:"false",autocomplete:"off",class:"typed"},o=>n(o.value))}function Z(t,e,n,r,o){let s=u(u(t,"label",{},e),"select",{value:n});for(let i of r)u(s,"option",{value:i},i);return s.value=n,s.addEventListener("input",()=>o(s.value)),s}function z(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function j(t,e,n){let r=u(t,"button",{type:"button"},e);return r.addEventListener("click",n),r}function Q(t){let e=u(t,"p",{"aria-live":"polite"}),n="";return r=>{let o=r.map(s=>s[0]).join("");o!==n&&(n=o,e.replaceChildren(...r.map(s=>Tt(...s))))}}function Tt(t,e){let n=document.createElement("span");return n.textContent=t,e&&g(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var Nt=220,tt=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${Nt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function et(t,e,n,r=0){return g(t,{style:`transform:translate(${e}px,${n}px) rotate(${r}deg)`})}var nt=`
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
${tt}
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
`;var ot=".reveal",Rt=["PageUp","PageDown"],Dt=/^Arrow[LR]/,Ot="[role],[type=range]",Pt={click:"button, summary",change:"select, [type=checkbox]"};function st(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||qt(this,e)}};customElements.define(t,n)}function qt(t,e){let n=JSON.parse(t.dataset.live),r=t.attachShadow({mode:"open"});u(r,"style",{},nt);let o=u(r,"div",{class:"live",role:"group","aria-label":n.title});for(let i in n.roles)o.style.setProperty(`--${i}`,n.roles[i]);e(o,n),g(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),Ht(r,t);let s=t.previousElementSibling;s?.classList.contains("live-fallback")&&t.append(s)}function Ht(t,e){let n=!1;t.addEventListener("pointerdown",()=>n=!0),t.addEventListener("keydown",r=>{let o=e.closest(ot)&&Wt(r,n);n=!1,!(r.ctrlKey||r.metaKey||r.altKey||r.key==="Tab")&&(o||r.stopPropagation(),(o||r.key==="Escape")&&rt(e))});for(let[r,o]of Object.entries(Pt)){let s=({target:i})=>n&&i.matches(o)&&e.closest(ot);t.addEventListener(r,i=>s(i)&&rt(e),{capture:!0})}}var Wt=({key:t,target:e},n)=>Rt.includes(t)||n&&Dt.test(t)&&e.matches(Ot);function rt(t){t.shadowRoot.activeElement?.blur(),t.parentElement?.closest("[tabindex]")?.focus()}function it({prepare:t=a=>a,begin:e,compute:n,controls:r,draw:o,explain:s,...i}){let{style:a,sizes:d=()=>[0],hint:l}=i;return(c,f)=>{let m=t(f),p=d(m);a&&u(c,"style",{},a);let x={data:m,state:e(m),act:S,reset:()=>S(()=>e(m))},b=r(X(c),x),k=Q(c),h=u(c,"div",{class:"picture"}),w=null;y(p.at(-1)),l&&Gt(c,l(m));function y(E){x.width=E,h.replaceChildren(),w=o(h,x)}function v(){let{state:E}=x,$=n(E,m);b(E),w(E,$),k(s(E,$,m))}let M=Kt(v);function S(E,...$){x.state=E(x.state,...$),M()}v(),_t(c,E=>{let $=p.findLast(N=>N<=E)??p[0];$!==x.width&&(y($),v())})}}function _t(t,e){let n=([{contentRect:r}])=>r.width&&e(r.width);new ResizeObserver(n).observe(t)}function Gt(t,e){let n=u(t,"p",{class:"hint"},e);for(let r of["pointerdown","keydown","input"]){let o=s=>s.key!=="Tab"&&g(n,{class:"hint gone"});t.addEventListener(r,o)}}function Kt(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var at=(...t)=>(...e)=>t.forEach(n=>n(...e));function L(t,e=2){if(Number.isNaN(t))return"–";if(!Number.isFinite(t))return t>0?"∞":"−∞";let n=Yt(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function Yt(t,e){return t>=1e4||t>0&&t<1e-9?Ft(t,1):t.toFixed(t>=100?Math.min(1,e):e)}var Ft=(t,e)=>t.toExponential(e).replaceAll("-","−");var D=t=>L(t).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,""),ct=t=>D(t)[0]==="−"?`(${D(t)})`:D(t);var H=(t,e,n)=>Math.max(e,Math.min(n,t)),T=t=>t.reduce((e,n)=>e+n,0),lt=(t,e)=>t.reduce((n,r,o)=>n+r*e[o],0);function dt(t,e=t.map(()=>!0)){let n=Math.max(...t.filter((s,i)=>e[i]));if(n===-1/0)return{shares:t.map(()=>0),sum:0,largest:n};let r=t.map((s,i)=>e[i]?Math.exp(s-n):0),o=T(r);return{shares:r.map(s=>s/o),sum:o,largest:n}}var Ut={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function zt(t,e,n,r,o){let s=Y(t)?"g":"div",i=u(t,s,{role:"grid","aria-label":e}),a=n.map((l,c)=>{let f=u(i,s,{role:"row"});return Array.from({length:l},(m,p)=>{let x=u(f,s,{role:"gridcell",tabindex:c+p?-1:0});return x.at=[c,p],r(x,c,p),x})});return jt(i,a,l=>{for(let c of a.flat())g(c,{tabindex:c.at===l?0:-1});o(...l)}),a}function pt(t,e,n,r,o=!1){let s=[];return(i,a,d)=>{if(s.length!==i){t.replaceChildren();let l=o?Array(i).fill(1):[i];s=zt(t,e,l,n,(c,f)=>r(c+f)).flat()}s.forEach((l,c)=>{let[f,m]=d(l,c);g(l,{"aria-label":f,class:m||null,tabindex:c===a?0:-1})})}}function jt(t,e,n){let r=i=>i.target.closest("[role=gridcell]")?.at,o=(i,a)=>a[H(i,0,a.length-1)],s=(i,a)=>{let d=o(a,o(i,e));d.focus(),n(d.at)};t.getRootNode().addEventListener("focusin",i=>{t.contains(i.target)&&n(r(i))}),t.addEventListener("click",i=>r(i)&&s(...r(i))),t.addEventListener("keydown",i=>{let a=Ut[i.key];if(!a||i.shiftKey)return;i.preventDefault();let[d,l]=r(i);s(d+a[0],l+a[1])})}var Bt=[[12,5,"start"],[0,-14,"middle"],[0,26,"middle"],[-12,5,"end"],[10,-12,"start"],[10,24,"start"],[-10,-12,"end"],[-10,24,"end"],[0,-32,"middle"],[0,44,"middle"]],Vt={start:0,middle:.5,end:1};function B({text:t,x:e,y:n,anchor:r,strong:o}){let s=t.length*8.2*(o?1.06:1),i=e-s*Vt[r];return{left:i,right:i+s,top:n-16+4,bottom:n+4}}var ft=([t,e],n)=>({left:t-n,right:t+n,top:e-n,bottom:e+n}),Xt=({from:t,to:e,thick:n})=>Array.from({length:12},(r,o)=>ft(t.map((s,i)=>s+(o+1)/13*(e[i]-s)),n/2)),Jt=(t,e)=>t.left<e.right&&e.left<t.right&&t.top<e.bottom&&e.top<t.bottom,ut=({left:t,right:e,top:n,bottom:r},[o,s])=>Math.hypot(Math.max(t-o,0,o-e),Math.max(n-s,0,s-r));function mt(t,{named:e,bands:n,width:r,height:o}){let s=t.map(c=>ft(c.at,7)),i=n.flatMap(Xt),a=e.map(B),d=[],l=(c,f)=>{let m=c.left<0||c.right>r||c.top<0||c.bottom>o,p=b=>b.filter(k=>Jt(c,k)).length,x=t.some(b=>ut(c,b.at)<ut(c,f)-1);return 40*m+30*p(a)+12*p(s)+p(i)+12*x};for(let c of t){let m=Bt.map(([p,x,b],k)=>{let h={...c,x:c.at[0]+p,y:c.at[1]+x,anchor:b};return{there:h,cost:l(B(h),c.at)+k/10}}).reduce((p,x)=>x.cost<p.cost?x:p);!c.inside&&m.cost>=30||(a.push(B(m.there)),d.push(m.there))}return d}var Zt=".,;:!?";function ht(t,e){let n=e.map(i=>i.toLowerCase()),r=i=>{let a=e.indexOf(i);return a<0?n.indexOf(i.toLowerCase()):a},o=[],s=[];for(let i of t.match(/\S+/g)??[]){let a=i;for(;r(a)<0&&a&&Zt.includes(a.at(-1));)a=a.slice(0,-1);let d=[...i.slice(a.length)].map(r);a&&r(a)<0&&s.push(a),o.push(...[r(a),...d].filter(l=>l>=0))}return{known:o,unknown:s}}var xt=12,wt=.14,Qt=.28,gt=t=>({...t,frame:te(t.x)});function te(t){let e=a=>[...t.map(d=>d[a]),0],n=[0,1].map(a=>Math.min(...e(a))),r=[0,1].map(a=>Math.max(...e(a))),o=wt*(Math.max(r[0]-n[0],r[1]-n[1])||1),[s,i]=r.map(a=>a+o);return[n.map(a=>a-o),[s+o*Qt/wt,i]]}function yt({sentences:t,x:e,asks:n,vocabulary:r}){let o=t[0];return{text:o,x:e,asks:n,wanted:W(o,r).tokens[n]}}function W(t,e){let{known:n,unknown:r}=ht(t,e);return{tokens:n.slice(0,xt),unknown:r,left:n.length>xt}}function bt(t,e,n){let{tokens:r}=W(e,n),o=r[t.asks]===t.wanted?t.asks:r.indexOf(t.wanted);return{...t,text:e,asks:o<0?Math.max(0,r.length-1):o}}function _(t,e,n){return{...t,asks:e,wanted:W(t.text,n).tokens[e]}}var ee=t=>Math.round(t*100)/100;function kt(t,e,n,[r,o]){let s=n.map((i,a)=>ee(H(i,r[a],o[a])));return{...t,x:t.x.map((i,a)=>a===e?s:i)}}function vt({text:t,x:e,asks:n},{vocabulary:r}){let{tokens:o,unknown:s,left:i}=W(t,r);if(!o.length)return{tokens:o,unknown:s,left:i,asks:null};let a=o.map(m=>e[m]),d=a.map(m=>lt(a[n],m)),{shares:l}=dt(d),c=[0,1].map(m=>T(a.map((p,x)=>l[x]*p[m]))),f=e.map((m,p)=>T(l.filter((x,b)=>o[b]===p)));return{tokens:o,unknown:s,left:i,asks:n,word:o[n],scores:d,shares:l,after:c,drawn:f}}var I=480,O=400,q=30,ne=.1,oe=4,re=8,se=3,ie={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,1],ArrowDown:[0,-1]};function ae([t,e]){let[n,r]=[0,1].map(c=>e[c]-t[c]),o=Math.min(I/n,O/r),s=(I-o*n)/2,i=(O-o*r)/2,a=([c,f])=>[s+o*(c-t[0]),i+o*(e[1]-f)],d=([c,f])=>[(c-s)/o+t[0],e[1]-(f-i)/o],l=[d([0,O]),d([I,0])];return{pixels:a,place:d,ends:l}}function $t(t,e){let{vocabulary:n,frame:r,axes:o}=e.data,s=u(t,"svg",{class:"plane glides",viewBox:`0 0 ${I} ${O}`}),i=ae(r),a=de(s,i,o),d={class:"drag e s",x:I-4,y:a[1].x<I/4?16:O-5},l=u(s,"text",d,"drag a word; click one: it is the query"),c=n.map(()=>u(s,"path",{stroke:"var(--weight)"})),f=u(s,"circle",{fill:"none",stroke:"var(--weight)"}),m=u(s,"path",{stroke:"var(--output)","stroke-width":2.5,"stroke-dasharray":5}),p=n.map((k,h)=>pe(s,e,i,h)),x=u(s,"path",{d:"M0,-10L9,0L0,10L-9,0Z",fill:"var(--output)"}),b=fe(s,n,a);return({x:k},h)=>{g(l,R(k===e.data.x));let w=k.map(i.pixels),{asks:y,word:v,drawn:M}=h,S=y===null,E=S?null:i.pixels(h.after);for(let C of[f,m,x])g(C,R(!S));w.forEach((C,A)=>p[A](C,k[A],h));let $=S?[]:ce(w,h);if(c.forEach((C,A)=>{let P=$[A]>0&&!G(w[A],w[v]);g(C,R(P)),P&&g(C,{d:K(w[v],w[A]),"stroke-width":q*$[A]})}),b(w,E,h),S)return;let N=q*T(M.filter((C,A)=>G(w[A],w[v])));g(f,{...le(w[v]),r:9+N/2,"stroke-width":N}),g(m,{d:K(w[v],E)}),g(x,{transform:`translate(${E})`})}}function ce(t,{drawn:e}){let n=t.map(r=>t.findIndex(o=>G(o,r)));return t.map((r,o)=>n[o]===o?T(e.filter((s,i)=>n[i]===o)):0)}var G=(t,e)=>Math.hypot(t[0]-e[0],t[1]-e[1])<oe,le=([t,e])=>({cx:t,cy:e}),K=(t,e)=>`M${t}L${e}`;function de(t,{pixels:e,ends:[n,r]},[o,s]){let i={stroke:"currentColor","stroke-opacity":.25};u(t,"path",{d:K(e([n[0],0]),e([r[0],0])),...i}),u(t,"path",{d:K(e([0,n[1]]),e([0,r[1]])),...i});let[a,d]=e([0,0]),l=[{text:`${o} →`,x:I-4,y:d+38,anchor:"end"},{text:`${s} ↑`,x:a+10,y:16,anchor:"start"}];for(let f of l)u(t,"text",{"text-anchor":f.anchor,x:f.x,y:f.y},f.text);let c=[...Et(n[0],r[0]).map(f=>({text:f,x:e([Number(f),0])[0],y:d+20,anchor:"middle"})),...Et(n[1],r[1]).map(f=>({text:f,x:a-10,y:e([0,Number(f)])[1]+5,anchor:"end"}))];for(let{text:f,anchor:m,...p}of c)u(t,"text",{class:"t","text-anchor":m,"fill-opacity":.75,...p},f);return[...l,...c]}function Et(t,e){let n=Array.from({length:Math.floor(e)},(r,o)=>`${o+1}`);return e-t>re?[]:n}function pe(t,{data:e,act:n},{pixels:r,place:o},s){let i=e.vocabulary[s],a=u(t,"g",{class:"dot",role:"button"});u(a,"circle",{r:17,fill:"transparent"});let d=u(a,"circle",{r:6.5});u(a,"circle",{r:12,class:"ring"});let l=null,c=()=>l!==null&&n(_,l,e.vocabulary),f=p=>n(kt,s,p,e.frame),m=[0,0];return ue(t,a,{from:()=>r(m),to:p=>f(o(p)),click:c}),a.addEventListener("keydown",p=>{let x=ie[p.key];if(x)f(m.map((b,k)=>b+ne*x[k]));else if(p.key==="Enter"||p.key===" ")c();else return;p.preventDefault()}),(p,x,{tokens:b,asks:k,word:h})=>{m=x,l=b.includes(s)?b.indexOf(s):null;let w=l!==null,y=e.axes.map((M,S)=>`${M} ${L(x[S])}`).join(", "),v=k!==null&&s===h?", the query":"";g(a,{transform:`translate(${p})`,tabindex:w?0:-1,"aria-label":`${i}${v}: ${y}. Arrows move it, Enter makes it the query.`}),g(d,{fill:v?"var(--query)":"currentColor","fill-opacity":w?1:.45})}}function ue(t,e,{from:n,to:r,click:o}){F(e,a=>{let[d,l]=U(t,a),[c,f]=n();return{right:d,down:l,off:[c-d,f-l],moved:!1}},(a,d)=>{let[l,c]=U(t,a);d.moved||=Math.hypot(l-d.right,c-d.down)>se,d.moved&&(t.classList.remove("glides"),r([l+d.off[0],c+d.off[1]]))},(a,d)=>{!d.moved&&a.type==="pointerup"&&o(),t.classList.add("glides")})}function fe(t,e,n){let r=[...e,"now"].map(()=>u(t,"text",{class:"tint"}));return(o,s,i)=>{let{tokens:a,asks:d,word:l,drawn:c}=i,f=[];o.forEach((h,w)=>{let y=f.find(M=>G(M.at,h)),v=a.includes(w);y&&y.inside===v?y.words.push(w):f.push({at:h,words:[w],inside:v,node:w})});let m=h=>{if(!a.includes(h))return e[h];let w=a.filter(v=>v===h).length,y=w>1?` (${w} times)`:"";return`${e[h]}${y} ${h===l?"(query) ":""}${L(c[h])}`},p=f.map(h=>({...h,text:h.words.map(m).join(", "),strong:h.words.includes(l)&&d!==null})),x={at:s,text:`output of ${e[l]}`,strong:!0,inside:!0};s&&p.unshift({...x,node:e.length}),p.sort((h,w)=>w.strong+w.inside-h.strong-h.inside);let b=o.map((h,w)=>({from:o[l],to:h,thick:q*c?.[w]})).filter((h,w)=>w!==l&&h.thick>2),k=mt(p,{named:n,bands:b,width:I,height:O});r.forEach((h,w)=>{let y=k.find(M=>M.node===w);if(g(h,R(y)),!y)return;let v={class:y.strong?"tint b":"tint",opacity:y.inside?null:.75};g(et(h,y.x,y.y),{...v,"text-anchor":y.anchor},y.text)})}}function Lt(t,{data:e,act:n}){let{vocabulary:r,axes:o}=e,s=u(t,"div",{class:"list"}),i=u(s,"div",{class:"told"}),a=m=>{for(let p of["span","i","b"])u(m,p)},d=m=>n(_,m,r),l=pt(u(s,"div"),"tokens: which one is the query?",a,d,!0),c=u(s,"p");u(c,"span",{class:"out","aria-hidden":"true"},"◆ ");let f=u(c,"span");return(m,{tokens:p,asks:x,word:b,shares:k,after:[h,w]=[]})=>{let y=x===null,v=`${r[b]} is the query. The thicker a line, the larger its weight.`;g(i,{},y?"":v),g(c,{hidden:y?"":null}),l(p.length,x,(S,E)=>{let[$,N,C]=S.children,A=L(k[E]);g($,{},r[p[E]]),g(N,{style:`height:${q*k[E]}px`}),g(C,{},A);let P=E===x;return[`${$.textContent}${P?" (query)":""}, weight ${A}`,P&&"asks"]});let M=`${o[0]} ${L(h)}, ${o[1]} ${L(w)}`;y||g(f,{},`output of ${r[b]}: ${M}`)}}var At=`
.map { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; }
.plane { flex: 1 1 400px; max-width: 528px; min-width: 0; }
.plane text { font-size: 15px; }
.dot { cursor: grab; outline: none; }
.dot:active { cursor: grabbing; }
.dot:focus-visible .ring { stroke: currentColor; stroke-width: 2; }
.list { flex: 1 1 250px; max-width: 330px; }
.told { margin-bottom: 6px; }
.list [role=row] { display: block; }
.list [role=gridcell] {
  display: grid; grid-template-columns: 92px 1fr 44px; gap: 8px; align-items: center;
  height: 34px; padding: 0 8px; border-width: 2.5px;
}
.list b { font-weight: 600; text-align: right; }
.list span { overflow: hidden; text-overflow: ellipsis; }
.list i { background: var(--weight); }
@media print { .drag { display: none; } }
.list p { min-height: 0; margin: 8px 0 0; }
.out { color: var(--output); }
.bar label { max-width: 100%; }
.bar select { min-width: 0; }
.typed { width: min(270px, 60vw); }
`;function Mt(t,e){let n=u(t,"div",{class:"map"});return at($t(n,e),Lt(n,e))}function St({x:t},e,{vocabulary:n,axes:r}){let{tokens:o,unknown:s,left:i,asks:a,shares:d,scores:l,after:c,word:f}=e,m=[];if(s.length&&m.push([`Not on the map: ${s.join(", ")}. `]),i&&m.push(["Only the first 12 words are read. "]),a===null)return[...m,[`The map has ${n.join(", ")}.`]];let p=d.indexOf(Math.max(...d)),x=[0,1].map(h=>`${D(t[f][h])} · ${ct(t[o[p]][h])}`),k=Math.max(...l)-Math.min(...l)<1e-9?[[" has the same score with every token: each attention weight is "]]:[[" attends most to "],[n[o[p]],"key"],[`: score ${x.join(" + ")} = ${D(l[p])}, attention weight `]];return[...m,[n[f],"query"],...k,[L(d[p]),"weight"],[". Its output is "],[`${r[0]} ${L(c[0])}, ${r[1]} ${L(c[1])}`,"output"],["."]]}function me(t,{act:e,data:n,reset:r}){let{sentences:o,vocabulary:s}=n,i=l=>e(bt,l,s),a=Z(t,"sentence",o[0],o,i),d=J(t,"or type",i);return j(t,"Reset",r),({text:l})=>{a.value=o.includes(l)?l:"",z(d,l)}}var Ct=it({prepare:gt,begin:yt,compute:vt,controls:me,draw:Mt,explain:St,style:At});st("live-00000000",Ct);
