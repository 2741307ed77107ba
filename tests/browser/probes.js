// What the tests ask of a page; each page has it as `probe` before any script of its own runs.
globalThis.probe = (() => {
  const hosts = () => [...document.querySelectorAll("[data-live]")];
  const root = (index = 0) => hosts()[index].shadowRoot;
  const all = (selector, within = root()) => [...within.querySelectorAll(selector)];
  const box = node => node.getBoundingClientRect();
  const visible = node => node.checkVisibility({visibilityProperty: true});
  const written = node => [...node.childNodes].some(one => one.nodeType === 3 && one.data.trim());
  const label = node => node.getAttribute("aria-label");
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));

  // What glides, in all figures.
  const glides = () => hosts().flatMap(host => host.shadowRoot?.getAnimations() ?? []);

  // Where something is before `act`, in the middle of the glides that it starts, and at their end.
  // They are halted in the frame in which they start: how many frames follow is the machine's.
  async function halfway(act, where) {
    const before = where();
    act();
    await new Promise(requestAnimationFrame);
    const started = glides();
    for (const glide of started) {
      glide.pause();
      glide.currentTime = 80;
    }
    const middle = where();
    for (const glide of started) glide.finish();
    return [before, middle, where()];
  }

  // What plays by itself stays at its first beat, however long the test takes to look at it.
  function hold(held) {
    window.beats ??= window.setInterval;
    window.setInterval = held ? () => -1 : window.beats;
  }

  // What a figure says and what its cells are called: it does not glide.
  const words = (index = 0) => [
    root(index).querySelector("[aria-live]").textContent,
    ...all("[role=gridcell]", root(index)).map(cell => label(cell) + cell.textContent),
  ];

  // All that a figure says, draws and announces, and what stands in its fields.
  const state = (index = 0) => {
    const fields = all("input", root(index)).map(input => input.value + input.checked);
    return root(index).innerHTML + fields;
  };

  // Labels that lie on one another, leave their box or leave the drawing. (The boxes of slanted ones
  // may overlap.)
  function badLabels(live = root()) {
    const svg = live.querySelector("svg");
    const wrong = [];
    const within = (a, b) =>
      a.left > b.left - 1 && a.right < b.right + 1 && a.top > b.top - 3 && a.bottom < b.bottom + 3;
    const seen = (svg ? all("text", svg) : [])
      .filter(text => text.textContent.trim() && visible(text) && box(text).width)
      .map(text => ({text, at: box(text), said: text.textContent}));
    seen.forEach(({text, at, said}, i) => {
      const cell = text.closest("[role=gridcell]")?.querySelector(".box");
      if (!within(at, box(svg))) wrong.push(`${said} is cut`);
      if (cell && !within(at, box(cell))) wrong.push(`${said} leaves its box`);
      const isSlanted = one => one.hasAttribute("transform");
      for (const other of seen.slice(0, i).filter(one => !isSlanted(one.text) && !isSlanted(text)))
        if (
          at.left < other.at.right - 1 &&
          other.at.left < at.right - 1 &&
          Math.abs(at.bottom - other.at.bottom) < 0.65 * at.height
        )
          wrong.push(`${other.said} lies on ${said}`);
    });
    return wrong;
  }

  // What is written below an element, and how large its letters are on the screen.
  const sizes = top =>
    all("*", top)
      .filter(node => written(node) && node.checkVisibility() && box(node).width)
      .filter(node => !node.closest("style, option, script, [hidden]"))
      .map(node => {
        const svg = node.closest("svg");
        const scale = svg?.viewBox.baseVal
          ? box(svg).width / svg.viewBox.baseVal.width
          : node.currentCSSZoom;
        const text = [...node.childNodes].map(one => one.data ?? "").join(" ");
        return {node, text, size: parseFloat(getComputedStyle(node).fontSize) * scale};
      });
  const smallest = found => Math.min(...found.map(({size}) => size));
  const letters = (host = hosts()[0]) => smallest(sizes(host.shadowRoot.querySelector(".live")));

  // How far a drawing has to be pushed to the side to be seen.
  const scrolled = () => {
    const part = root().querySelector(".scroll");
    return part ? part.scrollWidth - part.clientWidth : 0;
  };

  // Numbers and words that reach out of the figure, or of a part of it that cuts what does, and could
  // not be pushed into sight.
  function cut(host = hosts()[0]) {
    const cuts = one => one instanceof HTMLElement && getComputedStyle(one).overflowX !== "visible";
    const isCut = node => {
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = box(node.ownerSVGElement ? node : range);
      const out = (at, more = 0) => text.left < at.left - 1 || text.right > at.right + more + 1;
      for (let one = text.width ? node : null; one; one = one.parentElement)
        if (cuts(one) && out(box(one), one.scrollWidth - one.clientWidth)) return true;
      if (node.localName === "button" && node.scrollWidth > node.clientWidth + 1) return true;
      return text.width > 0 && out(box(host));
    };
    return all(".live :not(style)", host.shadowRoot)
      .filter(node => visible(node) && written(node) && isCut(node))
      .map(node => node.textContent);
  }

  // What is said or written with a hyphen for a minus, or with an e for a power of ten.
  const hyphens = () =>
    all(".live :not(style)")
      .flatMap(node => [label(node), ...[...node.childNodes].map(one => one.data)])
      .filter(said => said && /(?<!\w)-\s?[\d.]|\de-\d/.test(said));

  // Cells in which something is written that their label does not have.
  const unlabelled = () =>
    all("[role=gridcell]").flatMap(cell =>
      all("*", cell)
        .filter(node => !node.children.length && !label(cell).includes(node.textContent))
        .map(node => [label(cell), node.textContent]),
    );

  // The height of the lowest thing that a finger presses.
  const lowest = () =>
    Math.min(
      ...all(".bar :is(input, select, button, summary)")
        .filter(one => one.checkVisibility())
        .map(one => box(one).height),
    );

  // The least contrast of a number with the boxes under it, blended over the page, and the number.
  function contrast(ground) {
    const rgb = text =>
      text
        .match(/[\d.]+/g)
        .slice(0, 4)
        .map(Number);
    const over = (top, alpha, under) => under.map((u, i) => alpha * top[i] + (1 - alpha) * u);
    const linear = c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const light = colour =>
      colour
        .map(c => linear(c / 255))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const inBytes = (_, parts) =>
      parts
        .split(/[ /]+/)
        .map((part, i) => (i < 3 ? 255 * part : part))
        .join(",");
    const behind = text => {
      const cell = text.parentNode.getAttribute("role") === "gridcell" ? text.parentNode : null;
      return (cell ? all("rect, circle.unit", cell) : [])
        .map(getComputedStyle)
        .filter(style => style.fill !== "none")
        .reduce((under, style) => {
          const [r, g, b, a = 1] = rgb(style.fill.replace(/color\(srgb ([^)]*)\)/, inBytes));
          return over([r, g, b], a * style.fillOpacity, under);
        }, rgb(ground));
    };
    const found = hosts()
      .flatMap(host => all("svg text", host.shadowRoot))
      .filter(text => text.textContent && getComputedStyle(text).visibility !== "hidden")
      .map(text => {
        const under = behind(text);
        const [r, g, b, a = 1] = rgb(getComputedStyle(text).fill);
        const colour = over([r, g, b], a * getComputedStyle(text).opacity, under);
        const [high, low] = [light(colour), light(under)].sort((x, y) => y - x);
        return [(high + 0.05) / (low + 0.05), text.textContent];
      });
    return found.reduce((worst, one) => (one[0] < worst[0] ? one : worst), [99, ""]);
  }

  // What lies behind the first figure.
  function ground() {
    let node = hosts()[0];
    while (getComputedStyle(node).backgroundColor === "rgba(0, 0, 0, 0)") node = node.parentElement;
    return getComputedStyle(node).backgroundColor;
  }

  const STOPS = 'input, select, button, summary, [tabindex="0"]';
  // The stops of Tab in a figure, and where it stands.
  const stops = () =>
    all(STOPS).flatMap((node, i) => (!node.disabled && visible(node) ? [i] : []));
  function active() {
    const host = document.activeElement;
    const inner = host.shadowRoot?.activeElement;
    return inner
      ? {
          name: label(inner) || inner.labels?.[0]?.textContent || inner.textContent,
          kind: inner.type || inner.localName,
          off: inner.ariaDisabled === "true",
          stop: all(STOPS, host.shadowRoot).indexOf(inner),
        }
      : null;
  }

  // Of the bands of the values: what numbers they cover, how much of them is above their box, and how
  // far they reach out of it to the left and to the right.
  function bands() {
    const svg = root().querySelector("svg");
    const at = box(svg);
    const mark = box(svg.querySelector("g > .mark"));
    const isBand = (x, y) =>
      root()
        .elementsFromPoint(x, y)
        .some(
          one =>
            one.localName === "path" &&
            visible(one) &&
            ["fill", "stroke"].some(name => one.getAttribute(name) === "var(--value)"),
        );
    const parts = [0.1, 0.5, 0.9];
    const covered = all("text", svg)
      .filter(text => text.textContent.trim() && visible(text))
      .filter(text => {
        const {left, top, width, height} = box(text);
        return parts.some(x => parts.some(y => isBand(left + x * width, top + y * height)));
      });
    let above = 0;
    const mouth = [];
    for (let x = at.left; x < at.right; x++) {
      for (let y = at.top; y < mark.bottom - 2; y++) above += isBand(x, y);
      if (isBand(x, mark.bottom + 1.5)) mouth.push(x - mark.left);
    }
    const said = covered.map(text => text.textContent);
    return [said, above, Math.min(...mouth), Math.max(...mouth) - mark.width];
  }

  // How many numbers of the output are seen.
  const told = () => all("svg g text.big").filter(visible).length;

  // The width of a canvas, and how dark each of its points is.
  function pixels(selector) {
    const canvas = root().querySelector(selector);
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return [canvas.width, [...data].filter((_, k) => k % 4 === 3)];
  }

  // What is written in a drawing, or within a box: line by line, and in each from left to right.
  const texts = (within = box(root().querySelector("svg"))) =>
    all("svg text")
      .filter(text => text.textContent && visible(text))
      .map(text => ({at: box(text), said: text.textContent}))
      .filter(({at}) => at.left > within.left - 1 && at.right < within.right + 1)
      .filter(({at}) => at.top > within.top - 1 && at.bottom < within.bottom + 1)
      .sort((a, b) =>
        Math.abs(a.at.top - b.at.top) < 6 ? a.at.left - b.at.left : a.at.top - b.at.top,
      )
      .map(({said}) => said);
  const boxed = selector => all(selector).map(one => texts(box(one)));

  // Of a deck: to a slide, with so much of what appears on it, and nothing has to fade in.
  async function show(i, appeared = 999) {
    const {h, v} = Reveal.getIndices(Reveal.getSlides()[i]);
    Reveal.slide(h, v ?? 0, appeared);
    document.getAnimations().forEach(fading => fading.finish());
    await frame();
  }

  // What is on the screen: the number of a slide, its title, and how much of it has appeared.
  function seen() {
    document.getAnimations().forEach(fading => fading.finish());
    const slides = all(".slides section:not(:has(section))", document);
    const onScreen = node => {
      const {x, y, width, height} = box(node);
      const inside = width && height && x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
      return inside && node.checkVisibility({opacityProperty: true, visibilityProperty: true});
    };
    return slides
      .filter(onScreen)
      .map(slide => [
        slides.indexOf(slide),
        slide.querySelector("h1, h2, h3").innerText.trim(),
        all(".fragment:not(.step), .step.visible", slide).filter(onScreen).length,
      ]);
  }

  // Of the live figure on a slide: whether much is written in it, what is too small for a hall, and
  // what reaches out of its drawing.
  function figure() {
    const live = Reveal.getCurrentSlide().querySelector("[data-live]")?.shadowRoot;
    if (!live) return null;
    const found = sizes(live.querySelector(".live"));
    const out = all(".stage text", live).filter(text => {
      const [at, stage] = [box(text), box(text.closest(".stage"))];
      const isSeen = visible(text) && text.textContent.trim();
      return isSeen && (at.left < stage.left - 1 || at.right > stage.right + 1);
    });
    return {
      says: found.map(({text}) => text.trim()).join("").length > 20,
      small: found.filter(({size}) => size < 23.95).map(({text, size}) => [text, size]),
      out: out.map(text => text.textContent),
      touching: badLabels(live).filter(said => said.includes(" lies on ")),
    };
  }

  // Of a slide: its words below the title (a formula is one; what is given or defined, or a formula, may
  // take more), the blocks there, what leaves it, and how large its letters are.
  function slide() {
    const top = Reveal.getCurrentSlide();
    const isSeen = node => node.checkVisibility() && box(node).width > 0;
    const outside = "aside, style, script, [data-live], .live-fallback, mjx-container";
    const texts = sizes(top).filter(({node}) => !node.closest(outside));
    const stands = ".celltag_given, .celltag_definition, .celltag_formula, .celltag_board";
    const isCounted = node => !node.closest(`h2, pre, .bars, ${stands}`);
    const prose = texts.filter(({node}) => isCounted(node)).map(({text}) => text);
    const isWord = text => /[\p{L}\p{N}]/u.test(text);
    const blocks = all("h1, h2, p, pre, img, li, table, [data-live]", top)
      .filter(isSeen)
      .filter(block => !block.closest("aside"));
    const leaves = block => {
      const {left, right, top: from, bottom} = box(block);
      const isWide = block.matches("pre") && block.scrollWidth > block.clientWidth + 1;
      return left < 0 || right > 1281 || from < 0 || bottom > 721 || isWide;
    };
    const cells = all(".bars td, .bars th", top);
    return {
      blocks: blocks.length - 1,
      words:
        prose.join(" ").split(/\s+/).filter(isWord).length +
        all("mjx-container", top).filter(isSeen).filter(isCounted).length,
      html: smallest(texts),
      leaves: blocks.filter(leaves).map(block => block.outerHTML.slice(0, 80)),
      narrow: cells
        .filter(cell => cell.scrollWidth > cell.clientWidth + 1)
        .map(cell => cell.innerText),
      height: top.scrollHeight,
    };
  }

  // How much larger than stored each picture of a slide is shown: [cell, scale].
  const scales = () =>
    all("img", Reveal.getCurrentSlide())
      .filter(img => img.dataset.cell && box(img).width) // no state of a picture that grows
      .map(img => [
        img.dataset.cell,
        Math.min(img.width / img.naturalWidth, img.height / img.naturalHeight),
      ]);

  // Of a slide: where it says that it stands, how large what is said is and where its middle lies, and
  // what of it lies over something else. A picture reaches into the margins of its box.
  function face() {
    const top = Reveal.getCurrentSlide();
    const parts = all("h1, [class*=celltag_], .printed, img, .highlight", top)
      .filter(node => node.checkVisibility() && box(node).height > 0)
      .filter(node => !node.closest("aside, .grows > :has(+ .visible)")); // a state that is covered
    const said = parts.filter(node => node.matches(".celltag_question, .celltag_line"));
    const liesOn = (one, other) =>
      !one.contains(other) &&
      !other.contains(one) &&
      !(one.closest(".grows") && other.closest(".grows")) && // a state covers the one before
      box(other).top < box(one).bottom - 2 &&
      box(one).top < box(other).bottom - 2;
    const over = parts.filter((one, i) => parts.slice(i + 1).some(other => liesOn(one, other)));
    const title = document.createRange();
    title.selectNodeContents(top.querySelector("h1, h2"));
    const name = document.querySelector(".where span");
    const edges = parts.flatMap(node => [box(node).top, box(node).bottom]);
    return {
      where: document.querySelector(".where").innerText.split("\n").join(" "),
      bare: !top.querySelector("[data-live]") && !parts.some(node => node.matches("img")),
      sizes: said.map(node => parseFloat(getComputedStyle(node).fontSize)),
      alone:
        parts.every(node => node.matches("h1, .celltag_given") || said.includes(node)) &&
        !top.querySelector(".fragment.visible"),
      middle: parts.length ? (Math.min(...edges) + Math.max(...edges)) / 2 : null,
      free: box(title).right + 16 <= box(name).left || box(title).top >= box(name).bottom,
      named: visible(name),
      over: over.map(node => node.innerText.slice(0, 40)),
    };
  }

  // Of a slide with a picture: how large the letters of what its question gives are, 0 if that is
  // gone; and whether the picture is as wide as its box, whatever stands above.
  function given() {
    const picture = Reveal.getCurrentSlide().querySelector("img");
    const above = Reveal.getCurrentSlide().querySelector(".celltag_given");
    if (!above || !picture) return null;
    const {width, height} = box(picture);
    return [
      above.checkVisibility() ? parseFloat(getComputedStyle(above).fontSize) : 0,
      height >= (width * picture.naturalHeight) / picture.naturalWidth - 1,
    ];
  }

  // Of JupyterLab: the chapter that is open, its cells, and where they are seen.
  const panel = () => globalThis.jupyterapp.shell.currentWidget;
  const content = () => panel().content;
  const widgets = () => content().widgets;
  const view = () => content().node.querySelector(".jp-WindowedPanel-outer");

  // How far it has run; null until its kernel is there.
  function ran() {
    if (!panel()?.content?.model || !panel().sessionContext.isReady) return null;
    const code = [...content().model.cells].filter(cell => cell.type === "code");
    const isDeliberate = cell => (cell.getMetadata("tags") || []).includes("raises-exception");
    return {
      cells: code.length,
      ran: code.filter(cell => cell.executionCount !== null).length,
      last: code.at(-1)?.executionCount ?? null,
      errors: code
        .filter(cell => !isDeliberate(cell))
        .flatMap(cell => cell.outputs.toJSON())
        .filter(output => output.output_type === "error")
        .map(error => error.evalue),
    };
  }

  // [cell, an output of it] for all that a run has put out.
  const outputs = () =>
    [...content().model.cells]
      .filter(cell => cell.type === "code")
      .flatMap(cell => cell.outputs.toJSON().map(output => [cell.id, output]));

  // How many live figures a run has put out.
  const figures = () =>
    outputs().filter(([, output]) => String(output.data?.["text/html"]).includes("data-live="))
      .length;

  // Of each cell: is it seen, or folded; is it a heading that is folded; is its output hidden; is it
  // veiled, and kept from who listens?
  const isVeiled = part =>
    getComputedStyle(part).filter.startsWith("blur") && part.getAttribute("aria-hidden") === "true";
  const opened = () =>
    widgets().map(cell => {
      const parts = all(":scope > :is(.jp-Cell-inputWrapper, .jp-Cell-outputWrapper)", cell.node);
      return {
        folded: cell.isHidden,
        shut: Boolean(cell.headingCollapsed),
        hidden: cell.outputHidden === true,
        veiled: parts.length > 0 && parts.every(isVeiled),
      };
    });

  // Of the selected cell: its index, how many pixels of it are seen, down to which it is seen, how far
  // it begins above and reaches below the window; and where the cell above it begins.
  function selected() {
    const seen = box(view());
    const index = content().activeCellIndex;
    const {top, bottom, height} = box(content().activeCell.node);
    const found = {
      index,
      pixels: Math.min(seen.bottom, bottom) - Math.max(seen.top, top),
      end: Math.min(seen.bottom, bottom) - top,
      start: Math.max(seen.top - top, 0),
      below: bottom - seen.bottom,
      height,
      above: index ? box(widgets()[index - 1].node).top - seen.top : 0,
    };
    return Object.fromEntries(Object.entries(found).map(([name, one]) => [name, Math.round(one)]));
  }

  // Select a cell.
  function select(i) {
    content().activeCellIndex = i;
    content().mode = "command";
    content().activate();
  }

  // A long text takes several strokes: here it is read to its end.
  function read(i) {
    const {model, node} = widgets()[i];
    const below = box(node).bottom - box(view()).bottom;
    if (model.type === "markdown") view().scrollTop += Math.max(0, below);
  }

  // Whether the fold of a cell is open and its source out of sight.
  const compared = i => widgets()[i].rendered && widgets()[i].node.querySelector("details").open;

  // A cell gets another source, and stands at the top of the window.
  async function put(i, source) {
    select(i);
    widgets()[i].model.sharedModel.setSource(source);
    await content().scrollToItem(i, "start");
  }

  // The first cell that is seen in the window.
  const first = () =>
    widgets().findIndex(cell => !cell.isHidden && box(cell.node).bottom > box(view()).top + 20);

  // Where the notebook stands, and a point in the text of a cell below its middle; while JupyterLab has
  // not drawn such a cell, an answer that is never the same twice.
  function below() {
    const {top, height} = box(view());
    const isBelow = cell =>
      !cell.isHidden && cell.model.type === "markdown" && box(cell.node).top > top + height / 2;
    const cell = widgets().find(isBelow);
    const text = cell?.node.querySelector(".jp-Cell-inputArea");
    if (!text) return performance.now();
    return [view().scrollTop, widgets().indexOf(cell), box(text).x + 150, box(text).y + 10];
  }

  // Where a heading that is seen begins.
  const heading = said =>
    all("h1, h2, h3", document)
      .filter(one => one.textContent.includes(said) && one.offsetHeight)
      .map(one => box(one).top)[0] ?? null;

  // What stands in the place of every hidden output, read off the screen cell by cell: a notebook draws
  // a cell once it comes into view, and innerText of what is not drawn would be all its text. Where the
  // code is folded, too, one bar with its title stands for both. `again`: it is run and hidden again.
  async function inPlace(again) {
    const found = {};
    for (const [i, cell] of widgets().entries()) {
      if (!cell.outputHidden) continue;
      await content().scrollToItem(i);
      await cell.ready;
      const isShown = output => output.text || Object.keys(output.data).length;
      cell.outputHidden = !again;
      if (again) cell.model.outputs.fromJSON(cell.model.outputs.toJSON().filter(isShown));
      cell.outputHidden = true;
      await frame();
      const place = cell.node.querySelector(
        ".jp-OutputPlaceholder .jp-Placeholder-contentContainer",
      );
      const said = [place.innerText.trim(), getComputedStyle(place, "::before").content];
      found[i] = place.offsetHeight ? said : null;
      if (!found[i] !== cell.inputHidden) throw Error(`cell ${i} is ${found[i] ?? "not seen"}`);
    }
    return found;
  }

  return {
    ...{hosts, root, all, box, frame, glides, halfway, hold, words, state},
    ...{badLabels, letters, scrolled, cut, hyphens, unlabelled, lowest, contrast, ground},
    ...{stops, active, bands, told, pixels, texts, boxed},
    ...{show, seen, figure, slide, scales, face, given},
    ...{panel, content, widgets, view, ran, outputs, figures, opened, selected, select},
    ...{read, compared, put, first, below, heading, inPlace},
  };
})();
