import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  server: { host: "127.0.0.1", proxy: { "/api": "http://127.0.0.1:4100" } },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.{ts,tsx}"],
    // A page that lacks something is printed with the failure: its beginning is enough.
    env: { DEBUG_PRINT_LIMIT: "2000" },
  },
});
