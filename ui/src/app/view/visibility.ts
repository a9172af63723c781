/* Reports which elements come near the viewport and which leave, with one observer per scrolled region. */

const MARGIN_PX = 400;
const observers = new WeakMap<Element | Document, IntersectionObserver>();
const told = new WeakMap<Element, (near: boolean) => void>();

/** For `{@attach onNearViewport(…)}` on an element in a view or a dialog. */
export function onNearViewport(tell: (near: boolean) => void): (node: HTMLElement) => () => void {
  return (node) => {
    const observer = observerOf(node.closest(".scroll") ?? document);
    told.set(node, tell);
    observer.observe(node);
    return () => observer.unobserve(node);
  };
}

function observerOf(root: Element | Document): IntersectionObserver {
  let observer = observers.get(root);
  if (!observer) {
    const tell = (entries: IntersectionObserverEntry[]): void => {
      for (const { target, isIntersecting } of entries) told.get(target)?.(isIntersecting);
    };
    observers.set(root, (observer = new IntersectionObserver(tell, { root, rootMargin: `${MARGIN_PX}px` })));
  }
  return observer;
}
