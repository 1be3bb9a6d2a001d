export type { Brain, BrainMessage, BrainPart, BrainReply, BrainRequest } from "./simulate/brain.ts";
export { echoToolsBrain, scriptedBrain } from "./simulate/brains.ts";
export { checkRequest } from "./simulate/check.ts";
export { cut } from "./simulate/cut.ts";
export { simModels } from "./simulate/models.ts";
export { type SimulatorOptions, startSimulator } from "./simulate/server.ts";
export { createSimulation, type Simulation, type SimulationOptions } from "./simulate/simulation.ts";
export { type SpawnedSimulator, spawnSimulator } from "./simulate/spawn.ts";
