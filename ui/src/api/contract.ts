/* Generated from the Python documents by `python -m lossboard.server.contract`. Do not edit. */

export type JsonNumber = number | "NaN" | "Infinity" | "-Infinity";
export type RunState = "live" | "stalled" | "finished";
export type FactJson = boolean | number | string | null;

/** First event of the live stream: the current position. */
export interface At {
  cursor: number;
  loading: boolean;
}

/** Points at an x. `total` is the number of lines there, of which a request with `near` returns a part. */
export interface AtChart {
  key: string;
  total: number;
  lines: AtLine[];
}

/** The point of a line that is nearest to an x. */
export interface AtLine {
  step: number;
  wall: JsonNumber;
  relative: JsonNumber;
  value: JsonNumber;
  smoothed: JsonNumber;
  run: string;
  tag: string;
  x: number;
}

export interface AtResponse {
  cursor: number;
  charts: AtChart[];
}

/** How the heads of two steps differ. `largest` is the largest difference of a weight.

`refused` says why they cannot be compared. Then no head has a divergence. */
export interface AttentionChange {
  refused?: string;
  largest: number;
  queries: number;
  compared: number;
  problems: string[];
}

/** One measure over the steps. The table has steps × heads. */
export interface AttentionCurves {
  cursor: number;
  measure: string;
  steps: number[];
  heads: number;
  skipped: number;
}

/** The logged heads of a layer, by their positions in the model. */
export interface AttentionLayer {
  layer: number;
  heads: number[];
  kv_heads?: number;
}

/** Size of the map in the table. */
export interface AttentionMap {
  queries: number;
  keys: number;
}

/** One text at one step. `thumbnail` is the size of a head in the first table, `problems` what cannot be read. */
export interface AttentionOverview {
  tokens: string[];
  keys: string[];
  kind: "self" | "cross";
  causal: boolean;
  grid?: [number, number];
  layers: AttentionLayer[];
  thumbnail: [number, number];
  maps: boolean;
  measures: string[];
  problems: string[];
}

/** A series, with the tokens at its newest step. */
export interface AttentionSeries {
  run: string;
  tag: string;
  steps: number[];
  walls: number[];
  broken?: string;
  tokens?: string[];
}

export interface AttentionSeriesList {
  cursor: number;
  series: AttentionSeries[];
}

/** Clips of one tag. Samples and labels are those of the newest step. */
export interface AudioSeries {
  run: string;
  tag: string;
  steps: number[];
  walls: number[];
  broken?: string;
  samples?: number;
  labels?: string[];
}

export interface AudioSeriesList {
  cursor: number;
  series: AudioSeries[];
}

/** The smallest or largest value of a line within the requested range, at its first step. */
export interface BestPoint {
  x: number;
  step: number;
  value: number;
  direction: "min" | "max";
}

/** The state of a board. `judged` is the cursor when the doctor last judged all runs, or -1.

`missing` are the logdirs that do not exist. `unknown_plugins` are plugins whose data no kind reads.
`trashed` is the number of runs in the trash. `why_not` says why the board is not writable. */
export interface BoardInfo {
  title: string;
  logdirs: string[];
  missing: string[];
  version: string;
  cursor: number;
  judged: number;
  kinds: Record<string, number>;
  unknown_plugins: string[];
  runs: RunRow[];
  views: Record<string, string>;
  trashed: number;
  writable: boolean;
  why_not?: string;
  loading: boolean;
}

/** A column that was requested, but that no run has. */
export interface BrokenColumn {
  field: string;
  problem: QueryProblem;
}

/** Histograms of one tag over steps, on common rows. */
export interface CardHead {
  key: string;
  steps: number;
  skipped: number;
  columns: number;
  rows: number;
  values: [number, number];
}

export interface CardsHead {
  cursor: number;
  cards: (CardHead | Missing)[];
}

/** A step at which another number of runs is behind a line than before. */
export interface ChangeOfRuns {
  x: number;
  before: number;
  after: number;
}

/** One chart. `cells` is the number of grid rows, and so of the points of each line.

`more` is set if the density was deferred. `reads` are the tags that formulas read. */
export interface ChartHead {
  key: string;
  exact: boolean;
  points: number;
  drawn: number;
  cells: number;
  x: [number, number];
  lines: ChartLine[];
  density?: Density;
  more?: true;
  problems?: FormulaProblem[];
  reads?: string[];
}

/** One line of a chart. The tag of a formula is `=` and its text. A hidden line is an earlier attempt that a restart
superseded. */
export interface ChartLine {
  run: string;
  tag: string;
  points: number;
  smoothed: boolean;
  hidden?: boolean;
  last: ChartPoint;
  marks: ChartMark[];
  restarts: number[];
  best?: BestPoint;
}

/** Non-finite values at an x. */
export interface ChartMark {
  x: number;
  step: number;
  what: "nan" | "inf" | "-inf";
  count: number;
}

/** One exact point. `relative` is in seconds since the start of the run. */
export interface ChartPoint {
  step: number;
  wall: JsonNumber;
  relative: JsonNumber;
  value: JsonNumber;
  smoothed: JsonNumber;
}

export interface ChartsHead {
  cursor: number;
  charts: (ChartHead | UnchangedChart)[];
}

/** One clip. `broken` says why it cannot be drawn. */
export interface ClipHead {
  label: string;
  mime: string;
  rate_hz?: number;
  channels?: number;
  seconds?: number;
  broken?: string;
}

export interface ClipsHead {
  cursor: number;
  clips: (ClipHead | Missing)[];
}

/** Texts that can replace the part of the query from `start` to `end`. */
export interface CompletionList {
  cursor: number;
  start: number;
  end: number;
  completions: CompletionRow[];
}

/** A text that can stand at the caret. `detail` describes it: its type, and how many runs have it. */
export interface CompletionRow {
  text: string;
  kind: "name" | "function" | "metric" | "value" | "operator" | "keyword";
  detail: string;
}

/** The last lines of a file of `bytes` bytes. `is_cut` is true if it has lines before these. */
export interface ConsoleOutput {
  bytes: number;
  text: string;
  is_cut: boolean;
}

export interface CopiedTable {
  text: string;
  rows: number;
}

/** A series of scalars, by the id of its run. */
export interface CurveRow {
  run: string;
  tag: string;
}

/** Corrupt records of a run. `where` lists the first ones, and files that cannot be read. */
export interface Damage {
  records: number;
  bytes: number;
  where: DamageLocation[];
}

export interface DamageLocation {
  file: string;
  offset: number;
  bytes: number;
  why: string;
}

/** A run in the trash. `path` is where it was, `deleted` the time of the deletion. */
export interface DeletedRunInfo {
  id: string;
  name: string;
  path: string;
  deleted: number;
  files: number;
  bytes: number;
}

/** Image of the lines beyond `max_lines`. */
export interface Density {
  width: number;
  height: number;
  y: [number, number];
  scale: "linear" | "log";
  lines: number;
}

export interface EmbeddingList {
  cursor: number;
  series: EmbeddingSeries[];
}

/** Columns, each with a table, and the sprite. `problems` are sentences about what cannot be shown. */
export interface EmbeddingMetadata {
  rows: number;
  columns: MetadataColumn[];
  sprite?: SpriteInfo;
  problems: string[];
}

/** Rows that moved most between two steps, in units of the radius of the points, and the median of all rows. */
export interface EmbeddingMoved {
  rows: EmbeddingNeighbor[];
  median: number;
  notes: string[];
}

export interface EmbeddingNeighbor {
  row: number;
  distance: number;
}

export interface EmbeddingNeighbors {
  row: number;
  norm: number;
  neighbors: EmbeddingNeighbor[];
}

/** Accuracy of ten nearest neighbors by step. `baseline` is the share of the most frequent class. */
export interface EmbeddingSeparation {
  column: string;
  baseline: number;
  steps: SeparationStep[];
}

export interface EmbeddingSeries {
  run: string;
  tag: string;
  steps: EmbeddingStep[];
  has_metadata: boolean;
  has_sprite: boolean;
}

/** One logged step. `broken` says why its tensor cannot be read. */
export interface EmbeddingStep {
  step: number;
  wall: number;
  rows?: number;
  columns?: number;
  broken?: string;
}

/** Response to a change, and data of an event without any. */
export type Empty = Record<string, never>;

export interface ErrorInfo {
  code: string;
  message: string;
}

export interface ErrorResponse {
  error: ErrorInfo;
}

export interface ExtremePoint {
  x: number;
  step: number;
  value: JsonNumber;
}

export interface ExtremesChart {
  key: string;
  lines: LineExtremes[];
}

export interface ExtremesResponse {
  cursor: number;
  charts: ExtremesChart[];
}

/** A column of facts. `texts` are its different texts, to which its codes refer.

`runs` is the number of runs that have a value. `best` says which values are better, if the metric's name tells. */
export interface FactColumn {
  field: string;
  type: string;
  runs: number;
  constant: boolean;
  texts?: string[];
  best?: "min" | "max";
}

/** Columns of facts about the runs with these ids. Each column without a problem has a table. */
export interface FactsHead {
  cursor: number;
  runs: string[];
  columns: (FactColumn | BrokenColumn)[];
}

/** Facts that a search finds. `total` also counts those beyond the limit. */
export interface FieldList {
  cursor: number;
  total: number;
  fields: FieldRow[];
}

/** A fact that runs have. `field` is how a query names it.

A metric is listed once, with its last value as `field`. `constant` is the value that all runs share. `best` says
which values are better, if the metric's name tells. */
export interface FieldRow {
  field: string;
  name: string;
  source: "run" | "hp" | "metric";
  type: string;
  runs: number;
  detail?: string;
  constant?: FactJson;
  best?: "min" | "max";
}

/** Number of findings of a run that are not dismissed, and the severity of the worst. */
export interface FindingCount {
  count: number;
  severity: "error" | "warning" | "note";
}

/** The findings of the selected runs, by run, the most severe first, and what could not be judged. */
export interface FindingList {
  cursor: number;
  findings: FindingRow[];
  trainings: number;
  unjudged: UnjudgedRow[];
}

/** One finding. `tag` and the steps say where it applies, and `places` are rows of data files.

`title` says in a few words what a code of the doctor means. `key` identifies it among the findings of its run while
the run grows. `curves` are the series that show it. `runs` are all runs that it is about, if they are several. */
export interface FindingRow {
  run: string;
  runs?: string[];
  key: string;
  code: string;
  title?: string;
  severity: "error" | "warning" | "note";
  tag?: string;
  first_step?: number;
  last_step?: number;
  what: string;
  evidence: Record<string, number | string>;
  why: string;
  advice: string;
  places?: string[];
  curves: CurveRow[];
}

/** Why a formula has no lines. It cannot be parsed, or no selected run has its tags. */
export interface FormulaProblem {
  message: string;
  start: number;
  end: number;
  suggestions: string[];
  formula: string;
}

/** What is wrong with a formula, or null. */
export interface FormulaResponse {
  cursor: number;
  problem: QueryProblem | null;
}

/** An attribute as text. Null if it is too large to show. */
export interface GraphAttribute {
  name: string;
  value: string | null;
  size: number;
}

/** A bundle of edges between two boxes, by their places in `items`. */
export interface GraphEdge {
  source: number;
  target: number;
  count: number;
  shape: number[] | null;
  shapes: number;
  ops: number[];
}

/** A graph, with the scopes of the first picture. */
export interface GraphHead {
  run: string;
  tag: string;
  step: number;
  title: string;
  nodes: number;
  ops: number;
  hidden: number;
  parameters: number;
  flops: number;
  unknown_flops: number;
  opened: string[];
  scopes: GraphScope[];
  problems: string[];
}

export interface GraphHit {
  path: string;
  label: string;
  type: string;
  kind: "op" | "scope";
}

export interface GraphHits {
  total: number;
  hits: GraphHit[];
}

/** A box: an operation, a scope, or several equal scopes.

Scopes with a single child are merged with it, so a box may stand for all paths from `outer` to `path`. */
export interface GraphItem {
  path: string;
  outer: string;
  label: string;
  kind: "op" | "input" | "output" | "scope" | "repeat";
  type: string;
  op?: string;
  lines?: GraphLine[];
  start: number;
  end: number;
  ops: number;
  hidden: number;
  parameters: number;
  flops: number | null;
  unknown_flops: number;
  device: string;
  shape: number[] | null;
  members?: string[];
  member_labels?: string[];
}

/** A parameter of an operation, as a line in its box. */
export interface GraphLine {
  name: string;
  shape: number[] | null;
}

export interface GraphList {
  cursor: number;
  series: GraphSeries[];
}

export interface GraphLogged {
  quantities: GraphQuantity[];
}

export interface GraphNeighbor {
  path: string;
  label: string;
  shape: number[] | null;
}

/** Details of a box. Attributes are those of an operation. */
export interface GraphNode {
  path: string;
  name: string;
  type: string;
  op?: string;
  device: string;
  shape: number[] | null;
  inputs: GraphNeighbor[];
  outputs: GraphNeighbor[];
  parameters: GraphParameter[];
  parameter_count: number;
  more_parameters: number;
  flops: number | null;
  ops: number;
  hidden: number;
  attributes: GraphAttribute[];
}

export interface GraphParameter {
  path: string;
  name: string;
  shape: number[] | null;
  count: number;
}

/** A logged tag that found its place: a parameter or a module. One value per step, null before the first point. */
export interface GraphPlace {
  tag: string;
  path: string;
  values: (JsonNumber | null)[];
}

/** What enters or leaves a scope: an operation outside or inside of it. */
export interface GraphPort {
  op: number;
  label: string;
  path: string;
  items: number[];
  shape: number[] | null;
}

export interface GraphQuantity {
  quantity: "weight norm" | "gradient norm" | "logged value";
  steps: number[];
  places: GraphPlace[];
  unplaced: string[];
}

/** The content of a scope. */
export interface GraphScope {
  path: string;
  items: GraphItem[];
  edges: GraphEdge[];
  inputs: GraphPort[];
  outputs: GraphPort[];
  more_inputs: number;
}

export interface GraphScopes {
  scopes: GraphScope[];
}

/** Graphs of one tag in one run. */
export interface GraphSeries {
  run: string;
  tag: string;
  steps: number[];
  walls: number[];
}

/** Event of the live stream: runs that grew or changed state. `new_tags` are kinds of which a run has new tags. */
export interface Grew {
  cursor: number;
  new_tags: string[];
  runs: Record<string, GrownRun>;
}

/** One chart of groups. `cells` is the number of grid rows. */
export interface GroupChartHead {
  key: string;
  exact: boolean;
  cells: number;
  x: [number, number];
  lines: GroupLine[];
  problems?: FormulaProblem[];
  reads?: string[];
}

export interface GroupChartsHead {
  cursor: number;
  charts: (GroupChartHead | UnchangedChart)[];
}

/** The smallest or largest value of a line within the requested range, at its first step. */
export interface GroupExtreme {
  step: number;
  value: number;
}

/** A group of runs as one line. `runs` have the tag.

`non_finite` is the largest number of runs that are left out at a step, because their value there is not finite. */
export interface GroupLine {
  group: string;
  tag: string;
  runs: string[];
  points: number;
  smoothed: boolean;
  last: GroupPoint;
  min: GroupExtreme | null;
  max: GroupExtreme | null;
  changes: ChangeOfRuns[];
  non_finite: number;
  best?: BestPoint;
}

/** Mean of a fact over a group, and half the width of its 95 % t interval. `n` runs have a finite value. */
export interface GroupMean {
  mean: JsonNumber;
  half: JsonNumber;
  n: number;
}

/** Line and band of a group at a step, and the number of runs behind them. */
export interface GroupPoint {
  step: number;
  value: JsonNumber;
  low: JsonNumber;
  high: JsonNumber;
  n: number;
}

/** Runs whose facts are equal. `key` has the facts in the order of `by`. */
export interface GroupRow {
  key: FactJson[];
  runs: string[];
  mean?: GroupMean;
}

/** A fact that runs are grouped by: as requested, and how a query names it in any logdir. */
export interface GroupedBy {
  name: string;
  field: string;
  type: string;
}

/** Groups of runs, ordered by their facts. With a problem, there are none. */
export interface GroupsResponse {
  cursor: number;
  by: GroupedBy[];
  groups: GroupRow[];
  problem: QueryProblem | null;
}

/** Growth of a run. A long list of tags is shortened to "*". */
export interface GrownRun {
  state: RunState;
  last: number | null;
  bytes: number;
  kinds: Record<string, string[] | "*">;
}

/** Images of one tag. Samples and sizes are those of the newest step. */
export interface ImageSeries {
  run: string;
  tag: string;
  steps: number[];
  walls: number[];
  broken?: string;
  samples?: number;
  width?: number;
  height?: number;
  mime?: string;
}

export interface ImageSeriesList {
  cursor: number;
  series: ImageSeries[];
}

/** Importance of the hyperparameters, the largest first. `runs` have the metric; in `failed` of them it is not
finite. With fewer than `needed` runs there are no rows. */
export interface ImportanceResponse {
  cursor: number;
  runs: number;
  failed: number;
  needed: number;
  rows: ImportanceRow[];
}

/** Importance of a hyperparameter for a metric.

`share` is its part of the differences that all hyperparameters make, `noise` the part that a random column may
reach. `correlation` is Spearman's; it is null for texts. */
export interface ImportanceRow {
  name: string;
  share: number;
  noise: number;
  correlation: number | null;
  log: boolean;
  runs: number;
}

/** A fact that some runs lack. The query leaves out `runs` only for that, and `including` selects them too. */
export interface LackedFact {
  field: string;
  runs: number;
  including: string;
}

/** Statistics of one tag. They are missing if its first or last histogram cannot be decoded. */
export interface Layer {
  tag: string;
  steps: number;
  last_step: number;
  change?: JsonNumber;
  norm?: JsonNumber;
  zeros?: JsonNumber | null;
  spread?: JsonNumber;
}

export interface LayersResponse {
  cursor: number;
  runs: string[];
  layers: Record<string, Layer[]>;
}

/** Minimum, maximum and first non-finite value of a line within a range of x. */
export interface LineExtremes {
  run: string;
  tag: string;
  min: ExtremePoint | null;
  max: ExtremePoint | null;
  non_finite: ExtremePoint | null;
}

/** Steps of one tag in one run. `broken` says why the newest point cannot be decoded. */
export interface MediaSeries {
  run: string;
  tag: string;
  steps: number[];
  walls: number[];
  broken?: string;
}

/** One sample of a mesh. `shapes` are those of the logged tensors, `problems` say what is not shown of them. */
export interface MeshHead {
  cursor: number;
  step: number;
  wall: number;
  sample: number;
  samples: number;
  shapes: Record<string, number[]>;
  scene: MeshScene;
  problems: string[];
}

/** A light of the scene. One without a position comes from everywhere. */
export interface MeshLight {
  intensity: number;
  position: number[] | null;
}

/** The logged camera, lights and material. Null for what was not logged, `ignored` for what has no meaning here. */
export interface MeshScene {
  orthographic: boolean;
  fov: number | null;
  near: number | null;
  far: number | null;
  lights: MeshLight[];
  color: string | null;
  wireframe: boolean;
  ignored: string[];
  problem: string | null;
}

export interface MeshSeriesList {
  cursor: number;
  series: MediaSeries[];
}

/** A column. `categories` are its distinct texts by falling frequency, if they are few. */
export interface MetadataColumn {
  name: string;
  type: "number" | "category" | "text";
  categories?: string[];
}

/** In place of an item of a batch that does not exist or cannot be decoded. A run may be deleted at any time. */
export interface Missing {
  error: string;
}

export type NoDocument = Record<string, never>;

export interface PointsHead {
  cursor: number;
  points: number;
}

/** One curve. What its counts do not determine is null. */
export interface PrCurveHead {
  step: number;
  wall: number;
  drawn: number;
  positives: number | null;
  others: number | null;
  area: number | null;
  roc_area: number | null;
}

export interface PrCurvesHead {
  cursor: number;
  curves: (PrCurveHead | Missing)[];
}

export interface PrHistoriesHead {
  cursor: number;
  series: (PrHistoryHead | Missing)[];
}

/** Measures of one series by step. `skipped` points cannot be decoded. */
export interface PrHistoryHead {
  steps: number;
  skipped: number;
}

/** PR curves of one tag. The number of thresholds is that of the newest step. */
export interface PrSeries {
  run: string;
  tag: string;
  steps: number[];
  walls: number[];
  broken?: string;
  thresholds?: number;
}

export interface PrSeriesList {
  cursor: number;
  series: PrSeries[];
}

/** The tags that at least one of the selected runs has. */
export interface PresentTags {
  cursor: number;
  tags: string[];
}

/** One embedding of a projection. `ready` is false as long as it has no layout: its table is then empty. */
export interface ProjectedSource {
  run: string;
  tag: string;
  step: number;
  rows: number;
  ready: boolean;
}

/** A layout: one table per source with the columns x, y and, in three dimensions, z. */
export interface ProjectionHead {
  job: string;
  version: number;
  final: boolean;
  sources: ProjectedSource[];
  explained: number[];
  notes: string[];
}

/** State of a projection. `version` grows with each better layout. `message` says why it failed. */
export interface ProjectionState {
  job: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  stage: string;
  fraction: number;
  version: number;
  message?: string;
}

/** Error in a query or formula. `start` and `end` are positions in its text, and each suggestion can replace that
part. */
export interface QueryProblem {
  message: string;
  start: number;
  end: number;
  suggestions: string[];
}

/** The runs that a query selects, in the order of the board, or null if it has a problem. */
export interface QueryResponse {
  cursor: number;
  runs: string[] | null;
  lacking: LackedFact[];
  problem: QueryProblem | null;
}

/** The series of a run's training by role. */
export interface RoleList {
  roles: RoleRow[];
}

/** What the doctor took series for. */
export interface RoleRow {
  role: string;
  curves: CurveRow[];
}

export interface RouteList {
  routes: RouteRow[];
}

export interface RouteRow {
  method: string;
  path: string;
  summary: string;
}

/** Details of one run. `config` has dotted names. `note_html` is sanitized, or null to show the source. */
export interface RunDetails {
  id: string;
  config: Record<string, FactJson>;
  command: string;
  environment: Record<string, FactJson>;
  metrics: RunMetric[];
  metric_count: number;
  note_html: string | null;
}

export interface RunDetailsList {
  cursor: number;
  runs: RunDetails[];
  missing: string[];
}

/** The folder of a run. `console` are the files with console output, the most likely one first. */
export interface RunFileList {
  folder: string;
  files: RunFileRow[];
  is_complete: boolean;
  console: string[];
}

/** An entry of a run's folder. A folder has the number and size of the files below it. */
export interface RunFileRow {
  name: string;
  type: "file" | "folder" | "link" | "other";
  bytes: number;
  modified: number;
  files: number;
}

/** One scalar of a run. `rank` is the place of its best value among the `ranked` runs that have the metric. */
export interface RunMetric {
  tag: string;
  count: number;
  first: JsonNumber | null;
  last: JsonNumber | null;
  min: JsonNumber | null;
  min_step: JsonNumber | null;
  max: JsonNumber | null;
  max_step: JsonNumber | null;
  direction: "min" | "max" | null;
  rank?: number;
  ranked?: number;
}

/** One run. `start` and `last` are null before its first event. */
export interface RunRow {
  alias?: string;
  note?: string;
  tags?: string[];
  colour?: number | string;
  hidden?: boolean;
  archived?: boolean;
  dismissed?: string[];
  id: string;
  name: string;
  label: string;
  path: string;
  start: number | null;
  last: number | null;
  state: RunState;
  bytes: number;
  damage?: Damage;
  findings?: FindingCount;
}

export interface SearchHit {
  run: string;
  tag: string;
  step: number;
  excerpt: string;
}

/** Texts that contain the search text. `cut` is true if there are more hits. */
export interface SearchResult {
  cursor: number;
  hits: SearchHit[];
  cut: boolean;
}

/** Runs that differ only in their seed. Grouping by `by` puts them together. Null if there are none. */
export interface SeedsResponse {
  cursor: number;
  seed: string | null;
  by: string;
  groups: string[][];
}

export interface SeparationStep {
  step: number;
  accuracy?: number;
  problem?: string;
}

/** Layout of the sprite image: size of one thumbnail in pixels, and thumbnails per line. */
export interface SpriteInfo {
  width: number;
  height: number;
  columns: number;
}

export interface TagList {
  cursor: number;
  tags: TagRow[];
}

/** One tag. `runs` is the number of runs that have it. */
export interface TagRow {
  display?: string;
  description?: string;
  tag: string;
  runs: number;
}

/** Statistics by step. `skipped` steps cannot be read, or have another shape. */
export interface TensorHistoryHead {
  cursor: number;
  steps: number;
  skipped: number;
}

/** Tensors of one tag. The type and the shape are those of the newest step. */
export interface TensorSeries {
  run: string;
  tag: string;
  steps: number[];
  walls: number[];
  broken?: string;
  dtype?: string;
  shape?: number[];
}

export interface TensorSeriesList {
  cursor: number;
  series: TensorSeries[];
}

/** Two axes of a tensor. A cell is the mean of several elements if `exact` is false. Strings have `texts`. */
export interface TensorSliceHead {
  cursor: number;
  step: number;
  dtype: string;
  shape: number[];
  index: (number | null)[];
  size: [number, number];
  window: [number, number, number, number];
  rows: number;
  columns: number;
  exact: boolean;
  texts?: string[];
}

/** `min` to `std` are of the finite numbers, null if there are none. `counts` is a histogram between them. */
export interface TensorStatistics {
  cursor: number;
  elements: number;
  non_finite: number;
  zeros: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  std: number | null;
  counts: number[];
}

/** One text. `html` is sanitized, and null if the source is to be shown. `cut` is true if `texts` was truncated. */
export interface Text {
  step: number;
  wall: number;
  texts: string[];
  shape: number[];
  html: string | null;
  cut: boolean;
}

export interface TextList {
  cursor: number;
  texts: (Text | Missing)[];
}

/** Texts of one tag. The shape is that of the newest step. */
export interface TextSeries {
  run: string;
  tag: string;
  steps: number[];
  walls: number[];
  broken?: string;
  shape?: number[];
}

export interface TextSeriesList {
  cursor: number;
  series: TextSeries[];
}

/** The deleted runs that can be restored, the latest first. `folders` are the trashes on disk. */
export interface TrashList {
  runs: DeletedRunInfo[];
  folders: string[];
}

/** A hyperparameter of trials. Display name, description and domain are those that were declared. */
export interface TrialHParam {
  field: string;
  type: string;
  runs: number;
  constant: boolean;
  texts?: string[];
  best?: "min" | "max";
  name: string;
  display?: string;
  description?: string;
  choices?: FactJson[];
  interval?: [JsonNumber, JsonNumber];
}

/** A metric that trials have, in their own run or in the sub-run `group`. `runs` is the number of trials with it. */
export interface TrialMetric {
  group: string;
  tag: string;
  runs: number;
  display?: string;
  description?: string;
  best?: "min" | "max";
}

/** What a trial logged with the hparams plugin. */
export interface TrialSession {
  group: string;
  status: string;
}

/** Trials by the ids of their runs. `shown` are the positions in `metrics` of the metrics that have a table.

The tables of the hyperparameters come first. */
export interface TrialsHead {
  cursor: number;
  runs: string[];
  sessions: (TrialSession | null)[];
  hparams: TrialHParam[];
  metrics: TrialMetric[];
  shown: number[];
}

/** A chart that has not changed since the cursor of the request. */
export interface UnchangedChart {
  key: string;
  unchanged: true;
}

/** Response to a deletion. */
export interface Undo {
  undo: string;
}

/** A series that some trainings did not log, what could be judged with it, and how to log it. */
export interface UnjudgedRow {
  role: string;
  codes: string[];
  trainings: number;
  snippet: string;
}
