/** Red, green, blue and alpha of a computed colour. */
function channels(colour) {
  const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
  return [r, g, b, a];
}

function over([r, g, b, a], [r2, g2, b2]) {
  return [r * a + r2 * (1 - a), g * a + g2 * (1 - a), b * a + b2 * (1 - a), 1];
}

/** Relative luminance and contrast as in WCAG 2.2. */
function luminance([r, g, b]) {
  const [red, green, blue] = [r, g, b].map(c => c / 255).map(c => (c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4));
  return .2126 * red + .7152 * green + .0722 * blue;
}

function contrast(first, second) {
  const [light, dark] = [luminance(first), luminance(second)].sort((x, y) => y - x);
  return (light + .05) / (dark + .05);
}

/** What lies behind an element's text: its backgrounds and those around it, down to the first that covers all. */
function background(element) {
  const style = getComputedStyle(element);
  if (style.backgroundImage !== 'none') throw new Error(`background image of ${name(element)}`);
  const own = channels(style.backgroundColor);
  if (own[3] === 1) return own;
  return over(own, element.parentElement ? background(element.parentElement) : [255, 255, 255, 1]);
}

function opacity(element) {
  return element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1;
}

const name = element => `${element.tagName}${element.id && '#' + element.id}`;
const visible = element => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;

function faintTexts(least) {
  const faint = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const element = text.parentElement;
    if (!text.data.trim() || !visible(element)) continue;
    const behind = background(element);
    const [r, g, b, a] = channels(getComputedStyle(element).color);
    const ratio = contrast(over([r, g, b, a * opacity(element)], behind), behind);
    if (ratio < least) faint.push(`${text.data.trim()}: ${ratio.toFixed(2)}`);
  }
  return faint;
}

/** Elements that end beyond the width, or that hide a part of what is in them. */
function beyond(width) {
  return [...document.body.querySelectorAll('*')].filter(visible).filter(element => {
    const { left, right } = element.getBoundingClientRect();
    const cuts = getComputedStyle(element).overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1;
    return left < -.5 || right > width + .5 || (cuts && element.tagName !== 'INPUT');
  }).map(element => `${name(element)}: ${element.textContent.slice(0, 30)}`);
}

