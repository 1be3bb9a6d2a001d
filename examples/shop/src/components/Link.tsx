import type { MouseEvent, ReactNode } from "react";
import type { Router } from "../router.ts";

type LinkProps = {
  readonly to: string;
  readonly router: Router;
  readonly className?: string;
  readonly label?: string;
  readonly children: ReactNode;
};

/** A real link (open in a new tab works) that stays in the page on a plain click. */
export function Link({ to, router, className, label, children }: LinkProps) {
  function follow(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    router.go(to);
  }
  return (
    <a href={to} className={className} aria-label={label} onClick={follow}>
      {children}
    </a>
  );
}
