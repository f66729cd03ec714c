// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// An intermediate dump as the maps, arrays and properties it consists of. Nothing is copied:
/// properties are slices.
///
/// There is a tree for any bytes; `damage` says where reading had to stop.
package struct DumpTree: Sendable {
    /// The whole file.
    package let bytes: ByteSlice
    /// True when the writer reached its end mark, so that nothing it meant to write is missing at
    /// the end.
    package internal(set) var isComplete = false
    /// Where the bytes stop making sense; empty for a sound file.
    package internal(set) var damage: [Damage] = []

    /// HEAD_BYTES: how much of the file is reserved for direct stores; nil if the dump has no head.
    package internal(set) var headByteCount: Int?

    /// Maps and arrays, by their index, whose beginning the dump has but not their end.
    var unended: Set<Int> = []
    /// All nodes in file order, each container before its contents; the root map is the first.
    var nodes: [Node] = []

    struct Node {
        enum Kind: UInt8 {
            case map
            case array
            case property
            /// A property whose payload is cut off by the end of the file.
            case cutProperty
        }

        /// Where its command byte is in the file.
        var offset: Int
        /// Of a container: the index of the first node after its contents. Of a property: the
        /// number of payload bytes that are there.
        var extent: Int
        /// 0 for the root map and for maps in arrays.
        var key: DumpKey
        var kind: Kind
    }

    /// The largest depth of containers inside each other, the root map included.
    package static let depthLimit = 10
    /// The largest number of maps, arrays and properties that are read, which limits the memory of
    /// a tree to about 50 MB.
    package static let nodeLimit = 1_000_000

    init(bytes: ByteSlice) {
        self.bytes = bytes
    }

    /// The root map; empty when the file does not start with one.
    package var root: DumpMap {
        DumpMap(tree: self, parts: nodes.isEmpty ? [] : [0])
    }

    /// The index of the node that follows `index` at the same level, or the end of its container.
    func next(after index: Int) -> Int {
        switch nodes[index].kind {
        case .map, .array: nodes[index].extent
        case .property, .cutProperty: index + 1
        }
    }

    func property(at index: Int) -> DumpProperty {
        let node = nodes[index]
        let payload = bytes.slice(
            from: node.offset + DumpProperty.headerSize, length: node.extent)
        return DumpProperty(
            key: node.key, offset: node.offset, payload: payload, isCut: node.kind == .cutProperty)
    }
}

/// A key and its payload.
package struct DumpProperty: Sendable, Equatable {
    /// What the property says; may be a number that this version has no name for.
    package let key: DumpKey
    /// Where its command byte is, counted from the start of the file.
    package let offset: Int
    /// The payload; of a cut property, the bytes of it that are there.
    package let payload: ByteSlice
    /// True when the file ends before the payload does.
    package let isCut: Bool

    /// Command byte, key and length.
    static let headerSize = 11
}
