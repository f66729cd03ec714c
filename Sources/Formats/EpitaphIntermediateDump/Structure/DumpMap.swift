// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A map of a dump, under the joining rules of docs/dump-format.md: the last of repeated properties
/// counts, repeated maps are merged, repeated arrays are joined in file order.
package struct DumpMap: Sendable {
    /// Where the map (the first of its parts) begins in the file; nil for the root of a file that
    /// has none.
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
                // Only the last one of a dump can be cut; a complete one before it is better.
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

    /// The dump the map is in.
    var bytes: ByteSlice { tree.bytes }

    /// All keys of the map, in no order.
    package var keys: Set<DumpKey> {
        Set(properties.keys).union(containers.keys)
    }

    /// Whether there is a property, map or array with this key, even a cut one.
    package func contains(_ key: DumpKey) -> Bool {
        properties[key] != nil || containers[key] != nil
    }

    /// The last property with this key; nil if there is none.
    package func property(_ key: DumpKey) -> DumpProperty? {
        properties[key].map { tree.property(at: $0) }
    }

    /// The merged map with this key; nil if there is none.
    package func map(_ key: DumpKey) -> DumpMap? {
        map(of: [key])
    }

    /// The maps of several keys merged as if they were one; what is under a later key takes
    /// precedence.
    func map(of keys: [DumpKey]) -> DumpMap? {
        let parts = keys.flatMap { self.parts($0, .map) }
        return parts.isEmpty ? nil : DumpMap(tree: tree, parts: parts)
    }

    /// Whether there is an array with this key and the dump has the end of each of its parts.
    func hasWholeArray(_ key: DumpKey) -> Bool {
        let parts = parts(key, .array)
        return !parts.isEmpty && tree.unended.isDisjoint(with: parts)
    }

    /// The maps of the joined array with this key, in file order; empty when there is none.
    package func array(_ key: DumpKey) -> DumpArray {
        DumpArray(tree: tree, parts: parts(key, .array))
    }

    /// Whether there is an array with this key, even an empty or unfinished one.
    package func hasArray(_ key: DumpKey) -> Bool {
        !parts(key, .array).isEmpty
    }

    private func parts(_ key: DumpKey, _ kind: DumpTree.Node.Kind) -> [Int] {
        (containers[key] ?? []).filter { tree.nodes[$0].kind == kind }
    }
}

/// The maps of an array, each made when the iterator reaches it.
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
