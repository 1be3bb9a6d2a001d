import type { ReactNode } from "react";

type NoticeProps = { readonly kind: "error" | "success" | "info"; readonly children: ReactNode };

/** A message that is read out when it appears: at once for errors, politely for the rest. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div className={`notice notice-${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </div>
  );
}
