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
  addEventListener("hashchange", reveal);
  reveal();
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
    }
  }
  // What the theme leaves without a name, and what can be scrolled by hand only.
  const sidebar = document.querySelector("#pst-primary-sidebar");
  sidebar?.setAttribute("role", "navigation");
  sidebar?.setAttribute("aria-label", "Site");
  for (const summary of document.querySelectorAll(".bd-links summary")) {
    const link = summary.closest("li").querySelector("a");
    summary.setAttribute("aria-label", `Pages of: ${link.textContent.trim()}`);
  }
  for (const wide of document.querySelectorAll("div.math, div.math mjx-container")) {
    if (wide.scrollWidth > wide.clientWidth + 1) wide.tabIndex = 0;
  }
  // A live figure with much data waits for them until it is near.
  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      const script = document.createElement("script");
      script.src = target.dataset.src;
      document.head.append(script);
    }
  }, { rootMargin: "900px" });
  window.liveArrived = (name, data) => {
    for (const place of document.querySelectorAll(`.live-apart[data-name="${name}"]`)) {
      const figure = document.createElement(place.dataset.figure);
      figure.dataset.live = data;
      place.before(figure);
      place.remove();
    }
  };
  for (const place of document.querySelectorAll(".live-apart")) near.observe(place);
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("main details")) fold.open = true;
  });
})();
