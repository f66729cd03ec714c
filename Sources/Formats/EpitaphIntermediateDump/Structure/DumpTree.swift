// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The maps, arrays and properties of an intermediate dump, for any bytes; `damage` says where
/// reading had to stop. Properties are slices, not copies.
package struct DumpTree: Sendable {
    package let bytes: ByteSlice
    /// Whether the writer reached its end mark.
    package internal(set) var isComplete = false
    package internal(set) var damage: [Damage] = []

    /// HEAD_BYTES: bytes of the file reserved for direct stores; nil without a head.
    package internal(set) var headByteCount: Int?

    var unended: Set<Int> = []
    /// In file order, each container before its contents; the root map first.
    var nodes: [Node] = []

    struct Node {
        enum Kind: UInt8 {
            case map
            case array
            case property
            case cutProperty
        }

        var offset: Int
        /// For a container, the index of the first node after its contents; for a property, the
        /// number of available payload bytes.
        var extent: Int
        /// 0 for the root map and for maps in arrays.
        var key: DumpKey
        var kind: Kind
    }

    /// Limit on nested containers, including the root map.
    package static let depthLimit = 10
    /// Limit on maps, arrays and properties read: about 50 MB for a tree.
    package static let nodeLimit = 1_000_000

    init(bytes: ByteSlice) {
        self.bytes = bytes
    }

    package var root: DumpMap {
        DumpMap(tree: self, parts: nodes.isEmpty ? [] : [0])
    }

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

package struct DumpProperty: Sendable, Equatable {
    /// May be a number without a name in this version.
    package let key: DumpKey
    /// File offset of its command byte.
    package let offset: Int
    package let payload: ByteSlice
    package let isCut: Bool

    /// Command byte, key and length.
    static let headerSize = 11
}
