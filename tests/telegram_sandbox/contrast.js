/* Every text and icon that is seen, with the ratio of its contrast to what lies behind it (WCAG 2: 4.5, large text and icons 3). */
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const read = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = ([red, green, blue, alpha], under) =>
    [red, green, blue].map((part, index) => part * alpha + under[index] * (1 - alpha));
  const luminance = (color) => {
    const [red, green, blue] = color.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ratio = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  /* All colours that may lie behind an element: a gradient has several. */
  const behind = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const { backgroundColor, backgroundImage } = getComputedStyle(one);
      const stops = backgroundImage.match(/(?:rgba?|color|oklab|hsla?)\([^)]*\)/g) ?? [];
      if (stops.length) layers.push(stops.map(read));
      layers.push([read(backgroundColor)]);
      if (read(backgroundColor)[3] === 1) break;
    }
    let found = [[255, 255, 255]];
    for (const layer of layers.reverse()) found = layer.flatMap((color) => found.map((under) => over(color, under)));
    return found;
  };
  const opacity = (element) => {
    let all = 1;
    for (let one = element; one; one = one.parentElement) all *= Number(getComputedStyle(one).opacity);
    return all;
  };
  const judge = (element, color, isLarge, words) => {
    const [red, green, blue, alpha] = read(color);
    const shown = alpha * opacity(element);
    if (shown === 0) return null;
    const worst = Math.min(...behind(element).map((under) => ratio(over([red, green, blue, shown], under), under)));
    const { className } = element;
    return { words, where: String(className.baseVal ?? className) || element.tagName, ratio: Math.round(worst * 100) / 100, needed: isLarge ? 3 : 4.5 };
  };
  const isSeen = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && element.checkVisibility({ visibilityProperty: true });
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const words = walker.currentNode.data.trim();
    /* An emoji brings its own colours. */
    if (!/[\p{L}\p{N}]/u.test(words) || !isSeen(element) || element.closest("script, noscript, option")) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const size = Number.parseFloat(fontSize);
    found.push(judge(element, color, size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700), words.slice(0, 40)));
  }
  for (const field of document.querySelectorAll("[placeholder]")) {
    if (isSeen(field)) found.push(judge(field, getComputedStyle(field, "::placeholder").color, false, field.placeholder));
  }
  for (const icon of document.querySelectorAll("svg.icon")) {
    if (isSeen(icon)) found.push(judge(icon, getComputedStyle(icon).color, true, icon.getAttribute("class")));
  }
  return found.filter(Boolean);
}
