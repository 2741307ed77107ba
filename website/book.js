// Folds open where they hide what is wanted: for print, and for an address that leads into them.
(() => {
  const open = (within) => {
    for (let fold = within?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };
  const reveal = () => {
    const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    open(wanted);
    wanted?.closest(".veil")?.dispatchEvent(new Event("lift"));
    open(wanted?.querySelector(":scope > details.beyond"));
  };
  // The text below a guess goes on with its answer: it is veiled up to the next code, guess, fold or
  // heading, until the answer is opened, it is asked for, or an address leads there.
  const veil = (folds) => {
    const waiting = [];
    for (let next = folds.at(-1).nextElementSibling; next; next = next.nextElementSibling) {
      if (next.matches("section, details, .cell:has(.cell_input)")) break;
      waiting.push(next);
      if (/^Predict\.$/.test(next.querySelector("strong")?.textContent)) break;
    }
    if (!waiting.length) return;
    const below = document.createElement("div");
    const button = document.createElement("button");
    const all = document.createElement("button");
    waiting[0].before(button, all, below);
    below.append(...waiting);
    below.className = "veil";
    below.inert = true;
    below.setAttribute("aria-hidden", "true");
    for (const one of [button, all]) one.className = "veil-lift";
    button.textContent = "What follows waits for your guess: show it";
    all.textContent = "show all on this page";
    const lift = () => {
      below.className = "";
      below.inert = false;
      below.removeAttribute("aria-hidden");
      button.remove();
      all.remove();
    };
    below.addEventListener("lift", lift);
    button.addEventListener("click", lift);
    all.addEventListener("click", () => {
      for (const one of document.querySelectorAll(".veil")) one.dispatchEvent(new Event("lift"));
    });
    for (const fold of folds) fold.addEventListener("toggle", lift, { once: true });
  };
  // What answers a guess, and what a reader compares it with, open together, by hand or by key.
  let answers = [];
  for (const one of document.querySelectorAll("main :is(h1, h2, h3, h4, details)")) {
    const said = one.localName === "details" && one.querySelector("summary").textContent.trim();
    if (!said) answers = [];
    else if (said.startsWith("I have guessed")) answers.push(one);
    else if (said === "Compare") {
      const both = [...answers.splice(0), one];
      for (const fold of both) {
        fold.addEventListener("toggle", () => {
          if (fold.open) for (const other of both) other.open = true;
        });
      }
      veil(both);
    }
  }
  addEventListener("hashchange", reveal);
  reveal();
  // What the theme leaves without a name, and what can be scrolled by hand only.
  // What lies over the page closes with the choice of a link in it.
  addEventListener("click", ({ target }) => target.closest?.("dialog a[href]")?.closest("dialog").close());
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
  const wide = "figure, .pst-scrollable-table-container, div.math > mjx-container, pre";
  // Printed lines go on below on a narrow page, but not where they make columns.
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
  document.querySelector("main")?.addEventListener("click", (event) => {
    const image = event.target.closest?.("figure.shrunk a")?.querySelector("img");
    if (!image || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const shown = image.cloneNode();
    shown.loading = "eager";
    large.append(shown);
    large.showModal();
    // What was tapped lies in the middle of the screen; by a key the drawing's middle does.
    const { left, width } = image.getBoundingClientRect();
    const tapped = event.detail ? (event.clientX - left) / width : 0.5;
    large.scrollLeft = tapped * shown.width - large.clientWidth / 2;
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
