// --- saving the drawing -------------------------------------------------------------------------

const KEPT = ["fill", "stroke", "stroke-width", "stroke-opacity", "font", "opacity", "color", "vector-effect"];
// The drawing by itself: what the page's style says of it is written into its parts.
function alone() {
  const copy = svg.cloneNode(true);
  const parts = [...svg.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((part, k) => {
    const style = getComputedStyle(parts[k]);
    part.setAttribute("style", KEPT.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  copy.querySelectorAll("[hidden], .fold").forEach((part) => part.remove());
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  copy.removeAttribute("style");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = drawn("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor });
  copy.prepend(ground);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}
function save(blob, name) {
  const link = make("a", "", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
document.getElementById("save-svg").addEventListener("click", () => {
  save(new Blob([alone().text], { type: "image/svg+xml" }), "tree.svg");
});
document.getElementById("save-png").addEventListener("click", () => {
  const { text, width, height } = alone();
  const image = new Image();
  image.onload = () => {
    const scale = Math.min(2, 8000 / Math.max(width, height));
    const canvas = make("canvas", undefined, { width: Math.round(scale * width), height: Math.round(scale * height) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, "tree.png"), "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
});
