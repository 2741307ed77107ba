// Folds open where they hide what is wanted: for print, and for an address that leads into them.
(() => {
  const open = (within) => {
    for (let fold = within?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };
  const reveal = () => {
    const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    open(wanted);
    open(wanted?.querySelector(":scope > details.beyond"));
  };
  // What a browser keeps of a page: which answers are open, and where a reader was.
  const key = `d2lattn ${location.pathname}`;
  const kept = JSON.parse(localStorage.getItem(key)) ?? {};
  const keep = (what) => localStorage.setItem(key, JSON.stringify(Object.assign(kept, what)));
  // A guess has one button, in the first of its folds. It opens them all, and the text below, which
  // goes on with the answer: that is veiled up to the next code, guess, fold or heading.
  const guesses = [];
  const veil = (folds) => {
    const [first, compare] = [folds[0], folds.at(-1)];
    const below = document.createElement("div");
    const waiting = [];
    for (let next = compare.nextElementSibling; next; next = next.nextElementSibling) {
      if (next.matches("section, details, .cell:has(.cell_input)")) break;
      waiting.push(next);
      if (/^Predict\.$/.test(next.querySelector("strong")?.textContent)) break;
    }
    below.append(...waiting);
    compare.after(below);
    const follow = (open) => {
      for (const fold of folds) fold.open = open;
      below.className = open ? "" : "veil";
      below.inert = !open;
      below.setAttribute("aria-hidden", !open);
    };
    for (const fold of folds) {
      fold.querySelector("summary").hidden = fold !== first;
      fold.addEventListener("toggle", () => {
        follow(fold.open);
        keep({ told: guesses.filter((one) => one.open).map((one) => one.dataset.told) });
      });
    }
    first.classList.add("guess");
    if (first === compare) first.querySelector("summary").textContent = "Show the answer";
    first.dataset.told = compare.textContent.slice(0, 80);
    guesses.push(first);
    follow(kept.told?.includes(first.dataset.told) ?? false);
  };
  let folds = [];
  for (const fold of document.querySelectorAll("main details")) {
    const said = fold.querySelector("summary").textContent.trim();
    if (said === "Compare" || said.startsWith("Show the answer")) folds.push(fold);
    if (said === "Compare") veil(folds.splice(0));
  }
  // Who comes from the search looks for the text itself, so the answers of that section are open.
  const wanted = location.search === "?found" && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (const fold of guesses) if (wanted && wanted.contains(fold)) fold.open = true;
  const all = document.createElement("button");
  all.textContent = "Show or hide all answers";
  all.addEventListener("click", () => {
    const open = guesses.some((fold) => !fold.open);
    for (const fold of guesses) fold.open = open;
  });
  if (guesses.length) document.querySelector("main .more")?.append(all);
  addEventListener("hashchange", reveal);
  reveal();
  // A chapter is left at a section, and offers to go on there; who came to look a section up goes on elsewhere.
  const headings = [...document.querySelectorAll("main section > :is(h2, h3)")]
    .filter((one) => /^\d/.test(one.textContent));
  const isLookedUp = location.hash && ![`#${kept.place}`, "#go-on"].includes(location.hash);
  const parts = (heading) => [...heading.parentElement.querySelectorAll("h2, h3, p, li, pre, figure")];
  const leave = () => {
    if (isLookedUp) return;
    const at = headings.findLast((one) => one.checkVisibility() && one.getBoundingClientRect().top < innerHeight / 2);
    if (!at || scrollY < innerHeight) return; // the first screen is found without help
    const place = at !== headings.at(-1) && at.parentElement.id;
    const part = parts(at).findIndex((one) => one.checkVisibility() && one.getBoundingClientRect().bottom > 90);
    const chapter = document.querySelector("h1").textContent.split(/ · |[:#]/)[1];
    keep({ place, part, chapter, number: at.textContent.split(" ")[0], when: Date.now() });
  };
  for (const left of ["visibilitychange", "pagehide", "scrollend"]) addEventListener(left, leave);
  const place = headings.find((one) => one.parentElement.id === kept.place);
  const goOn = () => {
    if (location.hash !== "#go-on" || !place) return;
    const part = parts(place)[kept.part] ?? place;
    if (!part.checkVisibility()) open(part);
    part.scrollIntoView();
  };
  addEventListener("hashchange", goOn);
  goOn();
  // The front page offers the chapter that was read last.
  const read = Object.entries(localStorage).filter(([name]) => /^d2lattn .*\/\d\d_/.test(name));
  const chapters = read.map(([name, said]) => ({ page: name.slice(8), ...JSON.parse(said) }));
  const isHere = ({ page }) => page === location.pathname && place;
  const isFront = document.querySelector(".hero");
  const last = chapters.filter((one) => one.place && (isFront ? one.when : isHere(one)))
    .sort((one, other) => one.when - other.when).at(-1);
  if (last && !location.hash) {
    const line = document.createElement("p");
    line.className = "go small";
    line.innerHTML = '<a></a><button type="button" aria-label="Close">×</button>';
    const [link, close] = line.children;
    link.href = `${last.page}#go-on`;
    link.textContent = `Go on at ${[last.number, last.chapter].filter(Boolean).join(" · ")}`;
    close.addEventListener("click", () => {
      line.remove();
      const closed = Object.assign(isFront ? last : kept, { place: false });
      localStorage.setItem(`d2lattn ${last.page}`, JSON.stringify(closed));
    });
    document.querySelector("main article").prepend(line);
  }
  // What the theme leaves without a name, and what can be scrolled by hand only.
  const sidebar = document.querySelector("#pst-primary-sidebar");
  sidebar?.setAttribute("role", "navigation");
  sidebar?.setAttribute("aria-label", "Site");
  for (const summary of document.querySelectorAll(".bd-links summary")) {
    const link = summary.closest("li").querySelector("a");
    summary.setAttribute("aria-label", `Pages of: ${link.textContent.trim()}`);
  }
  // What is wider than the page says so: a formula or a table scrolls, and a drawing opens large. It
  // is measured once for each width of the page: what says so would be measured with it.
  const widths = new Map();
  const measured = new ResizeObserver((changed) => {
    for (const { target } of changed) {
      if (target.localName === "figure") {
        const wide = target.querySelector("a > img")?.getAttribute("width") > 1.25 * target.clientWidth;
        target.classList.toggle("shrunk", wide && target.clientWidth > 0);
        continue;
      }
      if (widths.get(target) === target.clientWidth) continue;
      widths.set(target, target.clientWidth);
      target.classList.remove("scrolls");
      const scrolls = target.scrollWidth > target.clientWidth + 8;
      target.classList.toggle("scrolls", scrolls);
      if (scrolls) target.tabIndex = 0;
    }
  });
  const wide = "figure, .pst-scrollable-table-container, .evidence-shown table, div.math > mjx-container, pre";
  // A line of code goes on below on a narrow page, further to the right than it begins.
  for (const code of innerWidth > 600 ? [] : document.querySelectorAll("main div.cell_input pre")) {
    const line = (text, tags, spaces) => `<span class="line" style="--deep: ${spaces.length + 2}ch">${text}</span>`;
    code.innerHTML = code.innerHTML.replace(/((?:<[^>]*>)*)( *).*\n?/g, line);
  }
  // Printed lines do, but not where they make columns.
  for (const one of document.querySelectorAll("main .output pre")) {
    const columns = one.textContent.split("\n").filter((line) => /\S {2,}[^\s(]/.test(line));
    one.classList.toggle("columns", columns.length > 2);
  }
  for (const one of document.querySelectorAll(`main :is(${wide})`)) {
    measured.observe(one);
    if (one.localName === "figure") continue;
    one.addEventListener("scroll", () => {
      one.classList.toggle("at-end", one.scrollLeft + one.clientWidth > one.scrollWidth - 8);
    });
  }
  const large = document.createElement("dialog");
  large.className = "large";
  large.setAttribute("aria-label", "The drawing, large");
  large.innerHTML = '<button type="button" autofocus>Close</button>';
  large.addEventListener("click", () => large.close());
  large.addEventListener("close", () => large.querySelector("img").remove());
  document.body.append(large);
  // What lies over the page has an entry in the history: Back closes it, and so does a link in it,
  // which leads on from there.
  let over = null;
  let leadsTo = "";
  let wasAt = null; // what the page showed before
  const lie = (one, isOpen) => {
    if (isOpen || over === one) over = isOpen ? one : null;
    if (!isOpen) setTimeout(() => over || history.state !== "over" || history.back(), 100); // another may open
    else if (history.state !== "over") {
      history.scrollRestoration = "manual"; // closing does not move the page
      wasAt = scrollY;
      history.pushState("over", "");
    }
  };
  const lies = new MutationObserver(([{ target }]) => lie(target, target.open));
  for (const dialog of document.querySelectorAll("dialog")) lies.observe(dialog, { attributeFilter: ["open"] });
  addEventListener("toggle", ({ target, newState }) => target.popover && lie(target, newState === "open"), true);
  const close = () => over && (over.localName === "dialog" ? over.close() : over.hidePopover());
  addEventListener("popstate", () => {
    close();
    history.scrollRestoration = "auto";
    const [to, at] = [leadsTo, wasAt];
    [leadsTo, wasAt] = ["", null]; // to go there is such an event, too
    if (to) setTimeout(() => (location.href = to));
    else if (at !== null) requestAnimationFrame(() => scrollTo(0, at));
  });
  addEventListener("click", (event) => {
    const link = event.target.closest?.(":is(dialog, [popover]) a[href]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    leadsTo = link.href;
    close();
  });
  document.querySelector("main")?.addEventListener("click", (event) => {
    const image = event.target.closest?.("figure.shrunk a")?.querySelector("img");
    if (!image || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const shown = image.cloneNode();
    shown.loading = "eager";
    large.append(shown);
    large.showModal();
  });
  // A menu closes with the choice, also under a finger, which goes on hovering over it.
  for (const menu of document.querySelectorAll(".bd-header-article .dropdown-menu")) {
    menu.addEventListener("click", () => menu.classList.add("chosen"));
    menu.parentElement.addEventListener("pointerdown", ({ target }) => {
      if (!menu.contains(target)) menu.classList.remove("chosen");
    });
  }
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("main details")) fold.open = true;
  });
})();
