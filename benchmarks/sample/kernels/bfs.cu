// SPDX-License-Identifier: MIT
// Rodinia, bfs: one level of a breadth-first search, a node a thread: nodes of the front mark their neighbours
/*
n: 500_000 | 3000
launch: ceil(n, 512) x 512
once: a node of the front is none afterwards
edges: int[8 * n] = integers(0, n)
nodes: int[2 * n] = np.stack([8 * np.arange(n), integers(0, 9)[:n]], 1)
front: uchar[n] = integers(0, 5) == 0 -> 0
marked: uchar[n] -> 0
visited: uchar[n] = (front == 1) | (integers(0, 3) == 0)
costs: int[n] = np.where(visited, 3, -1) -> 0
n: int
*/
struct Node {
  int start, edges;
};
__global__ void visit_front(const int* edges, const Node* nodes, bool* front, bool* marked, const bool* visited,
                            int* costs, int n) {
  int node = blockIdx.x * 512 + threadIdx.x;
  if (node >= n || !front[node]) return;
  front[node] = false;
  for (int i = nodes[node].start; i < nodes[node].edges + nodes[node].start; ++i) {
    int next = edges[i];
    if (!visited[next]) {
      costs[next] = costs[node] + 1;
      marked[next] = true;
    }
  }
}
//---- C++
void reference(const int* edges, const int* nodes, unsigned char* front, unsigned char* marked,
               const unsigned char* visited, int* costs, int n) {
  // Several threads may write the same values to a node.
#pragma omp parallel for schedule(dynamic, 4096)
  for (int node = 0; node < n; ++node) {
    if (!front[node]) continue;
    front[node] = 0;
    int cost = costs[node] + 1;
    for (int i = nodes[2 * node]; i < nodes[2 * node] + nodes[2 * node + 1]; ++i) {
      int next = edges[i];
      if (visited[next]) continue;
      costs[next] = cost;
      marked[next] = 1;
    }
  }
}
