import { Field } from "../components/Field.tsx";
import type { Category } from "../types.ts";
import { categoryNames, type Filter, type SortOrder, sortNames } from "./filter.ts";

type FilterBarProps = { readonly filter: Filter; readonly onChange: (filter: Filter) => void };

export function FilterBar({ filter, onChange }: FilterBarProps) {
  return (
    <section className="filters" aria-label="Filters">
      <Field
        name="words"
        label="Search"
        type="search"
        value={filter.words}
        onChange={(words) => onChange({ ...filter, words })}
      />
      <Choice
        name="category"
        label="Category"
        value={filter.category}
        names={{ all: "All", ...categoryNames }}
        onChange={(category: Category | "all") => onChange({ ...filter, category })}
      />
      <Choice
        name="sort"
        label="Order"
        value={filter.sort}
        names={sortNames}
        onChange={(sort: SortOrder) => onChange({ ...filter, sort })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={filter.inStockOnly}
          onChange={(event) => onChange({ ...filter, inStockOnly: event.target.checked })}
        />
        In stock only
      </label>
    </section>
  );
}

type ChoiceProps<T extends string> = {
  readonly name: string;
  readonly label: string;
  readonly value: T;
  readonly names: Readonly<Record<T, string>>;
  readonly onChange: (value: T) => void;
};

function Choice<T extends string>({ name, label, value, names, onChange }: ChoiceProps<T>) {
  const options = Object.keys(names).filter((key): key is T => key in names);
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <select
        id={name}
        value={value}
        onChange={(event) => {
          const chosen = options.find((option) => option === event.target.value);
          if (chosen !== undefined) onChange(chosen);
        }}
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {names[option]}
          </option>
        ))}
      </select>
    </div>
  );
}
