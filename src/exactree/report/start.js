document.body.classList.remove("no-script");
window.addEventListener("resize", place);
fit();
choose(0);
ask();
