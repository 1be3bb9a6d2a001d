import type { Ref } from "react";

type FieldProps = {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly type?: "text" | "email" | "password" | "search";
  readonly autoComplete?: string;
  readonly hint?: string;
  /** The message of the validation; undefined when the value is fine. */
  readonly error?: string | undefined;
  readonly inputRef?: Ref<HTMLInputElement>;
  readonly onChange: (value: string) => void;
};

/** A labelled input. Its message is tied to it, so that screen readers say both. */
export function Field(props: FieldProps) {
  const { name, label, value, type = "text", autoComplete, hint, error, inputRef, onChange } = props;
  const described = [hint === undefined ? "" : `${name}-hint`, error === undefined ? "" : `${name}-error`];
  return (
    <div className={error === undefined ? "field" : "field field-bad"}>
      <label htmlFor={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        value={value}
        ref={inputRef}
        autoComplete={autoComplete}
        aria-invalid={error !== undefined}
        aria-describedby={described.join(" ").trim() || undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint !== undefined && (
        <p className="field-hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p className="field-error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
