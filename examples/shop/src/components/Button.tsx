import type { ReactNode } from "react";

type ButtonProps = {
  readonly children: ReactNode;
  readonly kind?: "primary" | "plain" | "quiet";
  readonly type?: "button" | "submit";
  readonly disabled?: boolean;
  readonly label?: string;
  readonly onClick?: () => void;
};

export function Button({ children, kind = "plain", type = "button", disabled = false, label, onClick }: ButtonProps) {
  return (
    <button type={type} className={`button button-${kind}`} disabled={disabled} aria-label={label} onClick={onClick}>
      {children}
    </button>
  );
}
