// 828619e0ed22f4a219057f6e2d1f4a275e1c6e4a6d4ddc303dc9c47f0ec0a1ee
var J="http://www.w3.org/2000/svg";var Y=t=>t.namespaceURI===J;function g(t,e,n){for(let[o,r]of Object.entries(e))r===null||r===!1?t.removeAttribute(o):t.setAttribute(o,r);return n!==void 0&&t.textContent!==String(n)&&(t.textContent=n),t}function u(t,e,n={},o){let s=e==="svg"||Y(t)?document.createElementNS(J,e):document.createElement(e);return g(s,n,o),t.append(s),s}var R=t=>({visibility:t?null:"hidden"});function F(t,e,n,o=()=>{}){let r=null;t.addEventListener("touchmove",s=>s.preventDefault(),{passive:!1}),t.addEventListener("pointerdown",s=>{r=e(s),t.setPointerCapture(s.pointerId)}),t.addEventListener("pointermove",s=>r&&n(s,r));for(let s of["pointerup","pointercancel"])t.addEventListener(s,i=>{r&&o(i,r),r=null})}function U(t,e){let n=t.getScreenCTM();return[(e.clientX-n.e)/n.a,(e.clientY-n.f)/n.d]}var Z=t=>u(t,"div",{class:"bar"});function Nt(t,e,n,o){let r=u(u(t,"label",{},e),"input",n);return r.addEventListener("input",()=>o(r)),r}function Q(t,e,n){return Nt(t,e,{type:"text",spellcheck:"false",autocomplete:"off",class:"typed"},r=>n(r.value))}function tt(t,e,n,o,r){let s=u(u(t,"label",{},e),"select",{value:n});for(let i of o)u(s,"option",{value:i},i);return s.value=n,s.addEventListener("input",()=>r(s.value)),s}function z(t,e){t.getRootNode().activeElement!==t&&(t.value=e)}function j(t,e,n){let o=u(t,"button",{type:"button"},e);return o.addEventListener("click",n),o}function et(t){let e=u(t,"p",{"aria-live":"polite"}),n="";return o=>{let r=o.map(s=>s[0]).join("");r!==n&&(n=r,e.replaceChildren(...o.map(s=>Rt(...s))))}}function Rt(t,e){let n=document.createElement("span");return n.textContent=t,e&&g(n,{class:"role",style:`text-decoration-color: var(--${e})`}),n}var Dt=220,nt=`
@media (prefers-reduced-motion: no-preference) {
  .glides :not(.ring) {
    transition: ${Dt}ms cubic-bezier(.2, .7, .3, 1);
    transition-property: x, y, width, height, cx, cy, r, d, transform, opacity, fill-opacity,
      stroke-opacity, stroke-width, stroke-dasharray;
  }
}
`;function ot(t,e,n,o=0){return g(t,{style:`transform:translate(${e}px,${n}px) rotate(${o}deg)`})}var rt=`
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
${nt}
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
`;var st=".reveal",Ot=["PageUp","PageDown"],Pt=/^Arrow[LR]/,qt="[role],[type=range]",Ht={click:"button, summary",change:"select, [type=checkbox]"};function at(t,e){if(customElements.get(t))return;let n=class extends HTMLElement{connectedCallback(){this.shadowRoot||Wt(this,e)}};customElements.define(t,n)}function Wt(t,e){let n=JSON.parse(t.dataset.live),o=t.attachShadow({mode:"open"});u(o,"style",{},rt);let r=u(o,"div",{class:"live",role:"group","aria-label":n.title});for(let i in n.roles)r.style.setProperty(`--${i}`,n.roles[i]);e(r,n),g(t,{"data-lm-suppress-shortcuts":"true","data-prevent-swipe":""}),_t(o,t);let s=t.previousElementSibling;s?.classList.contains("live-fallback")&&t.append(s)}function _t(t,e){let n=!1;t.addEventListener("pointerdown",()=>n=!0),t.addEventListener("keydown",o=>{let r=e.closest(st)&&Gt(o,n);n=!1,!(o.ctrlKey||o.metaKey||o.altKey||o.key==="Tab")&&(r||o.stopPropagation(),(r||o.key==="Escape")&&it(e))});for(let[o,r]of Object.entries(Ht)){let s=({target:i})=>n&&i.matches(r)&&e.closest(st);t.addEventListener(o,i=>s(i)&&it(e),{capture:!0})}}var Gt=({key:t,target:e},n)=>Ot.includes(t)||n&&Pt.test(t)&&e.matches(qt);function it(t){t.shadowRoot.activeElement?.blur(),t.parentElement?.closest("[tabindex]")?.focus()}function ct({prepare:t=a=>a,begin:e,compute:n,controls:o,draw:r,explain:s,...i}){let{style:a,sizes:p=()=>[0],hint:d}=i;return(c,x)=>{let f=t(x),l=p(f);a&&u(c,"style",{},a);let m={data:f,state:e(f),act:E,reset:()=>E(()=>e(f))},y=o(Z(c),m),v=et(c),$=u(c,"div",{class:"picture"}),A=null;h(l.at(-1)),d&&Yt(c,d(f));function h(k){m.width=k,$.replaceChildren(),A=r($,m)}function w(){let{state:k}=m,L=n(k,f);y(k),A(k,L),v(s(k,L,f))}let b=Ft(w);function E(k,...L){m.state=k(m.state,...L),b()}w(),Kt(c,k=>{let L=l.findLast(T=>T<=k)??l[0];L!==m.width&&(h(L),w())})}}function Kt(t,e){let n=([{contentRect:o}])=>o.width&&e(o.width);new ResizeObserver(n).observe(t)}function Yt(t,e){let n=u(t,"p",{class:"hint"},e);for(let o of["pointerdown","keydown","input"]){let r=s=>s.key!=="Tab"&&g(n,{class:"hint gone"});t.addEventListener(o,r)}}function Ft(t){let e=0;return()=>{e||=requestAnimationFrame(()=>{e=0,t()})}}var lt=(...t)=>(...e)=>t.forEach(n=>n(...e));function M(t,e=2){if(Number.isNaN(t))return"–";if(!Number.isFinite(t))return t>0?"∞":"−∞";let n=Ut(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function Ut(t,e){return t>=1e4||t>0&&t<1e-9?zt(t,1):t.toFixed(t>=100?Math.min(1,e):e)}var zt=(t,e)=>t.toExponential(e).replaceAll("-","−");var D=t=>M(t).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,""),dt=t=>D(t)[0]==="−"?`(${D(t)})`:D(t);var W=(t,e,n)=>Math.max(e,Math.min(n,t)),N=t=>t.reduce((e,n)=>e+n,0),pt=(t,e)=>t.reduce((n,o,r)=>n+o*e[r],0);function ut(t,e=t.map(()=>!0)){let n=Math.max(...t.filter((s,i)=>e[i]));if(n===-1/0)return{weights:t.map(()=>0),sum:0,largest:n};let o=t.map((s,i)=>e[i]?Math.exp(s-n):0),r=N(o);return{weights:o.map(s=>s/r),sum:r,largest:n}}var jt={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0],Home:[0,-1/0],End:[0,1/0]};function Bt(t,e,n,o,r){let s=Y(t)?"g":"div",i=u(t,s,{role:"grid","aria-label":e}),a=n.map((d,c)=>{let x=u(i,s,{role:"row"});return Array.from({length:d},(f,l)=>{let m=u(x,s,{role:"gridcell",tabindex:c+l?-1:0});return m.at=[c,l],o(m,c,l),m})});return Vt(i,a,d=>{for(let c of a.flat())g(c,{tabindex:c.at===d?0:-1});r(...d)}),a}function ft(t,e,n,o,r=!1){let s=[];return(i,a,p)=>{if(s.length!==i){t.replaceChildren();let d=r?Array(i).fill(1):[i];s=Bt(t,e,d,n,(c,x)=>o(c+x)).flat()}s.forEach((d,c)=>{let[x,f]=p(d,c);g(d,{"aria-label":x,class:f||null,tabindex:c===a?0:-1})})}}function Vt(t,e,n){let o=i=>i.target.closest("[role=gridcell]")?.at,r=(i,a)=>a[W(i,0,a.length-1)],s=(i,a)=>{let p=r(a,r(i,e));p.focus(),n(p.at)};t.getRootNode().addEventListener("focusin",i=>{t.contains(i.target)&&n(o(i))}),t.addEventListener("click",i=>o(i)&&s(...o(i))),t.addEventListener("keydown",i=>{let a=jt[i.key];if(!a||i.shiftKey)return;i.preventDefault();let[p,d]=o(i);s(p+a[0],d+a[1])})}var Xt=[[12,5,"start"],[0,-14,"middle"],[0,26,"middle"],[-12,5,"end"],[10,-12,"start"],[10,24,"start"],[-10,-12,"end"],[-10,24,"end"],[0,-32,"middle"],[0,42,"middle"],[14,-36,"start"]],Jt={start:0,middle:.5,end:1};function B({text:t,x:e,y:n,anchor:o,strong:r}){let s=t.length*8.2*(r?1.06:1),i=e-s*Jt[o];return{left:i,right:i+s,top:n-16+4,bottom:n+4}}var ht=([t,e],n)=>({left:t-n,right:t+n,top:e-n,bottom:e+n}),Zt=({from:t,to:e,thick:n})=>Array.from({length:24},(o,r)=>ht(t.map((s,i)=>s+(r+1)/25*(e[i]-s)),n/2)),Qt=(t,e)=>t.left<e.right&&e.left<t.right&&t.top<e.bottom&&e.top<t.bottom,mt=({left:t,right:e,top:n,bottom:o},[r,s])=>Math.hypot(Math.max(t-r,0,r-e),Math.max(n-s,0,s-o));function xt(t,{named:e,bands:n,width:o,height:r}){let s=t.map(c=>ht(c.at,7)),i=n.flatMap(Zt),a=e.map(B),p=[],d=(c,x)=>{let f=c.left<0||c.right>o||c.top<0||c.bottom>r,l=y=>y.filter(v=>Qt(c,v)).length,m=t.some(y=>mt(c,y.at)<mt(c,x)-1);return 40*f+30*l(a)+12*l(s)+l(i)+12*m};for(let c of t){let f=Xt.map(([l,m,y],v)=>{let $={...c,x:c.at[0]+l,y:c.at[1]+m,anchor:y};return{there:$,cost:d(B($),c.at)+v/10}}).reduce((l,m)=>m.cost<l.cost?m:l);!c.inside&&f.cost>=30||(a.push(B(f.there)),p.push(f.there))}return p}var te=".,;:!?";function wt(t,e){let n=e.map(i=>i.toLowerCase()),o=i=>{let a=e.indexOf(i);return a<0?n.indexOf(i.toLowerCase()):a},r=[],s=[];for(let i of t.match(/\S+/g)??[]){let a=i;for(;o(a)<0&&a&&te.includes(a.at(-1));)a=a.slice(0,-1);let p=[...i.slice(a.length)].map(o);a&&o(a)<0&&s.push(a),r.push(...[o(a),...p].filter(d=>d>=0))}return{known:r,unknown:s}}var gt=12,yt=.14,ee=.28,bt=t=>({...t,frame:ne(t.x)});function ne(t){let e=a=>[...t.map(p=>p[a]),0],n=[0,1].map(a=>Math.min(...e(a))),o=[0,1].map(a=>Math.max(...e(a))),r=yt*(Math.max(o[0]-n[0],o[1]-n[1])||1),[s,i]=o.map(a=>a+r);return[n.map(a=>a-r),[s+r*ee/yt,i]]}function kt({sentences:t,x:e,asks:n,vocabulary:o}){let r=t[0];return{text:r,x:e,asks:n,wanted:_(r,o).tokens[n]}}function _(t,e){let{known:n,unknown:o}=wt(t,e);return{tokens:n.slice(0,gt),unknown:o,left:n.length>gt}}function vt(t,e,n){let{tokens:o}=_(e,n),r=o[t.asks]===t.wanted?t.asks:o.indexOf(t.wanted);return{...t,text:e,asks:r<0?Math.max(0,o.length-1):r}}function G(t,e,n){return{...t,asks:e,wanted:_(t.text,n).tokens[e]}}var oe=t=>Math.round(t*100)/100;function Et(t,e,n,[o,r]){let s=n.map((i,a)=>oe(W(i,o[a],r[a])));return{...t,x:t.x.map((i,a)=>a===e?s:i)}}function $t({text:t,x:e,asks:n},{vocabulary:o}){let{tokens:r,unknown:s,left:i}=_(t,o);if(!r.length)return{tokens:r,unknown:s,left:i,asks:null};let a=r.map(f=>e[f]),p=a.map(f=>pt(a[n],f)),{weights:d}=ut(p),c=[0,1].map(f=>N(a.map((l,m)=>d[m]*l[f]))),x=e.map((f,l)=>N(d.filter((m,y)=>r[y]===l)));return{tokens:r,unknown:s,left:i,asks:n,word:r[n],scores:p,weights:d,after:c,drawn:x}}var I=480,O=400,H=30,re=.1,se=4,ie=8,ae=3,ce={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,1],ArrowDown:[0,-1]};function le([t,e]){let[n,o]=[0,1].map(c=>e[c]-t[c]),r=Math.min(I/n,O/o),s=(I-r*n)/2,i=(O-r*o)/2,a=([c,x])=>[s+r*(c-t[0]),i+r*(e[1]-x)],p=([c,x])=>[(c-s)/r+t[0],e[1]-(x-i)/r],d=[p([0,O]),p([I,0])];return{pixels:a,place:p,ends:d}}function At(t,e){let{vocabulary:n,frame:o,axes:r}=e.data,s=u(t,"svg",{class:"plane glides",viewBox:`0 0 ${I} ${O}`}),i=le(o),[a,p]=ue(s,i,r),d={class:"drag e s",x:I-4,y:a[1].x<I/4?16:O-5},c=u(s,"text",d,"drag a word; click one: it is the query"),x=n.map(()=>u(s,"path",{stroke:"var(--weight)"})),f=u(s,"circle",{fill:"none",stroke:"var(--weight)"}),m=u(s,"path",{stroke:"var(--output)",...{"stroke-width":2.5,"stroke-dasharray":5}}),y=n.map((A,h)=>fe(s,e,i,h)),v=u(s,"path",{d:"M0,-10L9,0L0,10L-9,0Z",fill:"var(--output)"}),$=he(s,n,a,p);return({x:A},h)=>{g(c,R(A===e.data.x));let w=A.map(i.pixels),{asks:b,word:E,drawn:k}=h,L=b===null,T=L?null:i.pixels(h.after);for(let S of[f,m,v])g(S,R(!L));w.forEach((S,C)=>y[C](S,A[C],h));let P=L?[]:de(w,h);if(x.forEach((S,C)=>{let X=P[C]>0&&!K(w[C],w[E]);g(S,R(X)),X&&g(S,{d:V(w[E],w[C]),"stroke-width":H*P[C]})}),$(w,T,h,P),L)return;let q=H*N(k.filter((S,C)=>K(w[C],w[E])));g(f,{...pe(w[E]),r:9+q/2,"stroke-width":q}),g(m,{d:V(w[E],T)}),g(v,{transform:`translate(${T})`})}}function de(t,{drawn:e}){let n=t.map(o=>t.findIndex(r=>K(r,o)));return t.map((o,r)=>n[r]===r?N(e.filter((s,i)=>n[i]===r)):0)}var K=(t,e)=>Math.hypot(t[0]-e[0],t[1]-e[1])<se,pe=([t,e])=>({cx:t,cy:e}),V=(t,e)=>`M${t}L${e}`;function ue(t,{pixels:e,ends:[n,o]},[r,s]){let i={stroke:"currentColor","stroke-opacity":.25},a=(l,m)=>({from:e(l),to:e(m),thick:1}),p=[a([n[0],0],[o[0],0]),a([0,n[1]],[0,o[1]])];for(let{from:l,to:m}of p)u(t,"path",{d:V(l,m),...i});let[d,c]=e([0,0]),x=[{text:`${r} →`,x:I-4,y:c+38,anchor:"end"},{text:`${s} ↑`,x:d+10,y:16,anchor:"start"}];for(let l of x)u(t,"text",{"text-anchor":l.anchor,x:l.x,y:l.y},l.text);let f=[...Lt(n[0],o[0]).map(l=>({text:l,x:e([Number(l),0])[0],y:c+20,anchor:"middle"})),...Lt(n[1],o[1]).map(l=>({text:l,x:d-10,y:e([0,Number(l)])[1]+5,anchor:"end"}))];for(let{text:l,anchor:m,...y}of f)u(t,"text",{class:"t","text-anchor":m,"fill-opacity":.75,...y},l);return[[...x,...f],p]}function Lt(t,e){let n=Array.from({length:Math.floor(e)},(o,r)=>`${r+1}`);return e-t>ie?[]:n}function fe(t,{data:e,act:n},{pixels:o,place:r},s){let i=e.vocabulary[s],a=u(t,"g",{class:"dot",role:"button"});u(a,"circle",{r:17,fill:"transparent"});let p=u(a,"circle",{r:6.5});u(a,"circle",{r:12,class:"ring"});let d=null,c=()=>d!==null&&n(G,d,e.vocabulary),x=l=>n(Et,s,l,e.frame),f=[0,0];return me(t,a,{from:()=>o(f),to:l=>x(r(l)),click:c}),a.addEventListener("keydown",l=>{let m=ce[l.key];if(m)x(f.map((y,v)=>y+re*m[v]));else if(l.key==="Enter"||l.key===" ")c();else return;l.preventDefault()}),(l,m,{tokens:y,asks:v,word:$})=>{f=m,d=y.includes(s)?y.indexOf(s):null;let A=d!==null,h=e.axes.map((b,E)=>`${b} ${M(m[E])}`).join(", "),w=v!==null&&s===$?", the query":"";g(a,{transform:`translate(${l})`,tabindex:A?0:-1,"aria-label":`${i}${w}: ${h}. Arrows move it, Enter makes it the query.`}),g(p,{fill:w?"var(--query)":"currentColor","fill-opacity":A?1:.45})}}function me(t,e,{from:n,to:o,click:r}){F(e,a=>{let[p,d]=U(t,a),[c,x]=n();return{right:p,down:d,off:[c-p,x-d],moved:!1}},(a,p)=>{let[d,c]=U(t,a);p.moved||=Math.hypot(d-p.right,c-p.down)>ae,p.moved&&(t.classList.remove("glides"),o([d+p.off[0],c+p.off[1]]))},(a,p)=>{!p.moved&&a.type==="pointerup"&&r(),t.classList.add("glides")})}function he(t,e,n,o){let r=[...e,"now"].map(()=>u(t,"text",{class:"tint"}));return(s,i,a,p)=>{let{tokens:d,asks:c,word:x,drawn:f}=a,l=[];s.forEach((h,w)=>{let b=l.find(k=>K(k.at,h)),E=d.includes(w);b&&b.inside===E?b.words.push(w):l.push({at:h,words:[w],inside:E,node:w})});let m=h=>{if(!d.includes(h))return e[h];let w=d.filter(E=>E===h).length,b=w>1?` (${w} times)`:"";return`${e[h]}${b} ${h===x?"(query) ":""}${M(f[h])}`},y=l.map(h=>({...h,text:h.words.map(m).join(", "),strong:h.words.includes(x)&&c!==null})),v={at:i,text:`output of ${e[x]}`,strong:!0,inside:!0};i&&y.unshift({...v,node:e.length}),y.sort((h,w)=>w.strong+w.inside-h.strong-h.inside);let $=p.map((h,w)=>({from:s[x],to:s[w],thick:H*h})).filter((h,w)=>w!==x&&h.thick>2).concat(o),A=xt(y,{named:n,bands:$,width:I,height:O});r.forEach((h,w)=>{let b=A.find(k=>k.node===w);if(g(h,R(b)),!b)return;let E={class:b.strong?"tint b":"tint",opacity:b.inside?null:.75};g(ot(h,b.x,b.y),{...E,"text-anchor":b.anchor},b.text)})}}function Mt(t,{data:e,act:n}){let{vocabulary:o,axes:r}=e,s=u(t,"div",{class:"list"}),i=u(s,"div",{class:"told"}),a=f=>{for(let l of["span","i","b"])u(f,l)},p=f=>n(G,f,o),d=ft(u(s,"div"),"tokens: which one is the query?",a,p,!0),c=u(s,"p");u(c,"span",{class:"out","aria-hidden":"true"},"◆ ");let x=u(c,"span");return(f,{tokens:l,asks:m,word:y,weights:v,after:[$,A]=[]})=>{let h=m===null,w=`${o[y]} is the query. The thicker a line, the larger its weight.`;g(i,{},h?"":w),g(c,{hidden:h?"":null}),d(l.length,m,(E,k)=>{let[L,T,P]=E.children,q=M(v[k]);g(L,{},o[l[k]]),g(T,{style:`height:${H*v[k]}px`}),g(P,{},q);let S=k===m;return[`${L.textContent}${S?" (query)":""}, weight ${q}`,S&&"asks"]});let b=`${r[0]} ${M($)}, ${r[1]} ${M(A)}`;h||g(x,{},`output of ${o[y]}: ${b}`)}}var St=`
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
`;function Ct(t,e){let n=u(t,"div",{class:"map"});return lt(At(n,e),Mt(n,e))}function It({x:t},e,{vocabulary:n,axes:o}){let{tokens:r,unknown:s,left:i,asks:a,weights:p,scores:d,after:c,word:x}=e,f=[];if(s.length&&f.push([`Not on the map: ${s.join(", ")}. `]),i&&f.push(["Only the first 12 words are read. "]),a===null)return[...f,[`The map has ${n.join(", ")}.`]];let l=p.indexOf(Math.max(...p)),m=[0,1].map($=>`${D(t[x][$])} · ${dt(t[r[l]][$])}`),v=Math.max(...d)-Math.min(...d)<1e-9?[[" has the same score with every token: each attention weight is "]]:[[" attends most to "],[n[r[l]],"key"],[`: score ${m.join(" + ")} = ${D(d[l])}, attention weight `]];return[...f,[n[x],"query"],...v,[M(p[l]),"weight"],[". Its output is "],[`${o[0]} ${M(c[0])}, ${o[1]} ${M(c[1])}`,"output"],["."]]}function xe(t,{act:e,data:n,reset:o}){let{sentences:r,vocabulary:s}=n,i=d=>e(vt,d,s),a=tt(t,"sentence",r[0],r,i),p=Q(t,"or type",i);return j(t,"Reset",o),({text:d})=>{a.value=r.includes(d)?d:"",z(p,d)}}var Tt=ct({prepare:bt,begin:kt,compute:$t,controls:xe,draw:Ct,explain:It,style:St});at("live-00000000",Tt);
