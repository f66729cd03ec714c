// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A map of a dump with the joining rules of docs/dump-format.md: the last of repeated properties
/// counts, repeated maps are merged, repeated arrays are joined in file order.
package struct DumpMap: Sendable {
    package let offset: Int?

    private let tree: DumpTree
    private var properties: [DumpKey: Int] = [:]
    private var containers: [DumpKey: [Int]] = [:]

    init(tree: DumpTree, parts: [Int]) {
        self.tree = tree
        offset = parts.first.map { tree.nodes[$0].offset }
        for part in parts {
            let end = tree.nodes[part].extent
            var index = part + 1
            while index < end {
                switch tree.nodes[index].kind {
                case .property: properties[tree.nodes[index].key] = index
                // Only the last one of a dump can be cut; an earlier complete one is better.
                case .cutProperty:
                    if properties[tree.nodes[index].key] == nil {
                        properties[tree.nodes[index].key] = index
                    }
                case .map, .array: containers[tree.nodes[index].key, default: []].append(index)
                }
                index = tree.next(after: index)
            }
        }
    }

    var bytes: ByteSlice { tree.bytes }

    package var keys: Set<DumpKey> {
        Set(properties.keys).union(containers.keys)
    }

    package func contains(_ key: DumpKey) -> Bool {
        properties[key] != nil || containers[key] != nil
    }

    package func property(_ key: DumpKey) -> DumpProperty? {
        properties[key].map { tree.property(at: $0) }
    }

    package func map(_ key: DumpKey) -> DumpMap? {
        map(of: [key])
    }

    func map(of keys: [DumpKey]) -> DumpMap? {
        let parts = keys.flatMap { self.parts($0, .map) }
        return parts.isEmpty ? nil : DumpMap(tree: tree, parts: parts)
    }

    func hasWholeArray(_ key: DumpKey) -> Bool {
        let parts = parts(key, .array)
        return !parts.isEmpty && tree.unended.isDisjoint(with: parts)
    }

    package func array(_ key: DumpKey) -> DumpArray {
        DumpArray(tree: tree, parts: parts(key, .array))
    }

    package func hasArray(_ key: DumpKey) -> Bool {
        !parts(key, .array).isEmpty
    }

    private func parts(_ key: DumpKey, _ kind: DumpTree.Node.Kind) -> [Int] {
        (containers[key] ?? []).filter { tree.nodes[$0].kind == kind }
    }
}

/// The maps of an array, made lazily.
package struct DumpArray: Sequence, IteratorProtocol, Sendable {
    private let tree: DumpTree
    private let parts: [Int]
    private var part = 0
    private var index = 0

    init(tree: DumpTree, parts: [Int]) {
        self.tree = tree
        self.parts = parts
        index = (parts.first ?? 0) + 1
    }

    package mutating func next() -> DumpMap? {
        while part < parts.count {
            if index < tree.nodes[parts[part]].extent {
                defer { index = tree.next(after: index) }
                return DumpMap(tree: tree, parts: [index])
            }
            part += 1
            index = part < parts.count ? parts[part] + 1 : 0
        }
        return nil
    }
}
