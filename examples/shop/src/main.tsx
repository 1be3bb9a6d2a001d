import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.tsx";
import { createApi } from "./api.ts";
import { browserRouter } from "./router.ts";
import "./styles.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

createRoot(root).render(
  <StrictMode>
    <App api={createApi({ fetch: (url, init) => fetch(url, init) })} router={browserRouter(window)} />
  </StrictMode>,
);
