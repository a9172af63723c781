/* What is far from the screen need not exist: one observer for a scrolled region tells what comes near and what leaves. */

const MARGIN_PX = 400;
const observers = new WeakMap<Element | Document, IntersectionObserver>();
const told = new WeakMap<Element, (near: boolean) => void>();

/** For `{@attach onNearViewport(…)}` on an element within a view's frame, or a dialog. */
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
