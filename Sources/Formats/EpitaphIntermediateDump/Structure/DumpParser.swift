// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

extension DumpTree {
    /// Reads as much of `bytes` as makes sense, in linear time; `nodeLimit` bounds the memory.
    package init(reading bytes: ByteSlice) {
        var parser = DumpParser(bytes)
        parser.parse()
        self = parser.tree
    }
}

/// Why reading ends before the file's end mark.
private enum Stop: Error {
    case end(Int)
    case cutProperty(String)
    case malformed(String)
}

private struct DumpParser {
    var tree: DumpTree
    private var cursor: ByteCursor
    private var open: [Int] = []

    init(_ bytes: ByteSlice) {
        tree = DumpTree(bytes: bytes)
        cursor = ByteCursor(bytes)
        open.reserveCapacity(DumpTree.depthLimit)
    }

    mutating func parse() {
        var offset = 0
        var pages = PassedPages(of: tree.bytes)
        do throws(Stop) {
            try begin()
            while !tree.isComplete {
                offset = cursor.offset
                pages.pass(offset)
                try step(at: offset)
            }
            if !isZero(from: cursor.offset) {
                note(cursor.offset, "\(cursor.remainingCount) bytes follow the end of the dump")
            }
        } catch {
            switch error {
            case .end(let place): note(place, "the dump ends here, before its end mark")
            case .cutProperty(let reason): note(offset, reason)
            case .malformed(let reason):
                note(offset, "\(reason); nothing after this place was read")
            }
        }
        closeAll(downTo: 0)
    }

    private mutating func leaveHead(at offset: Int) throws(Stop) {
        guard let head = tree.headByteCount, head > offset, head < tree.bytes.count else {
            guard isZero(from: offset) else { throw .malformed("byte 0x0 is no command") }
            throw .end(offset)
        }
        if open.count > 1 {
            note(offset, "what was stored here is cut; reading goes on at \(head.hex)")
            closeAll(downTo: 1)
        }
        try? cursor.skip(head - cursor.offset)
    }

    /// Whether all remaining bytes are zeros: never written parts of a head or a file.
    private func isZero(from offset: Int) -> Bool {
        let step = 1 << 21
        return stride(from: offset, to: tree.bytes.count, by: step).allSatisfy { offset in
            let part = tree.bytes.slice(from: offset, length: step)
            defer { if tree.bytes.count > step { part.forget() } }
            return part.withUnsafeBytes { $0.allSatisfy { $0 == 0 } }
        }
    }

    private mutating func begin() throws(Stop) {
        let command: UInt8 = try read()
        guard command == EPITAPH_COMMAND_ROOT_MAP_START.byte else {
            throw .malformed("the first byte is \(command.hex) instead of 0x06")
        }
        open.append(0)
        tree.nodes.append(.init(offset: 0, extent: 0, key: .none, kind: .map))
    }

    private mutating func step(at offset: Int) throws(Stop) {
        let command: UInt8 = try read()
        guard command != 0 else { return try leaveHead(at: offset) }
        switch epitaph_dump_command(rawValue: UInt32(command)) {
        case EPITAPH_COMMAND_PROPERTY: try property(at: offset)
        case EPITAPH_COMMAND_MAP_START:
            try start(.map, key: isInArray ? .none : readKey(), at: offset)
        case EPITAPH_COMMAND_ARRAY_START:
            guard !isInArray else { throw .malformed("an array stands directly in an array") }
            try start(.array, key: readKey(), at: offset)
        case EPITAPH_COMMAND_MAP_END: try end(.map)
        case EPITAPH_COMMAND_ARRAY_END: try end(.array)
        case EPITAPH_COMMAND_ROOT_MAP_END:
            guard open.count == 1 else {
                throw .malformed("the end mark stands inside a map or array")
            }
            tree.isComplete = true
        case EPITAPH_COMMAND_ROOT_MAP_START: throw .malformed("a second root map starts")
        default: throw .malformed("byte \(command.hex) is no command")
        }
    }

    private mutating func property(at offset: Int) throws(Stop) {
        guard !isInArray else { throw .malformed("a property stands directly in an array") }
        let key = try readKey()
        let length: UInt64 = try read()
        let available = cursor.remainingCount
        let isCut = length > UInt64(available)
        let count = isCut ? available : Int(length)
        try append(
            .init(
                offset: offset, extent: count, key: key, kind: isCut ? .cutProperty : .property))
        if isCut {
            throw .cutProperty("\(key.label) is cut after \(count) of its \(length) bytes")
        }
        if key == .headBytes { noteHead() }
        // Cannot fail: `count` bytes are there.
        try? cursor.skip(count)
    }

    private mutating func noteHead() {
        guard open.count == 2, tree.nodes[open[1]].key == .launchRecord,
            tree.nodes[tree.nodes.count - 1].extent == 4
        else { return }
        var payload = cursor
        tree.headByteCount = (try? payload.read(UInt32.self)).map { Int($0) }
    }

    private mutating func start(
        _ kind: DumpTree.Node.Kind, key: DumpKey, at offset: Int
    ) throws(Stop) {
        guard open.count < DumpTree.depthLimit else {
            throw .malformed("maps and arrays are more than \(DumpTree.depthLimit) deep")
        }
        open.append(tree.nodes.count)
        try append(.init(offset: offset, extent: 0, key: key, kind: kind))
    }

    private mutating func end(_ kind: DumpTree.Node.Kind) throws(Stop) {
        guard open.count > 1, let index = open.last, tree.nodes[index].kind == kind else {
            throw .malformed("\(kind == .map ? "a map" : "an array") ends that is not open")
        }
        open.removeLast()
        close(index)
    }

    private mutating func append(_ node: DumpTree.Node) throws(Stop) {
        guard tree.nodes.count < DumpTree.nodeLimit else {
            // This node would have been a container.
            if open.last == tree.nodes.count { open.removeLast() }
            throw .malformed("the dump has more than \(DumpTree.nodeLimit) entries")
        }
        tree.nodes.append(node)
    }

    private mutating func close(_ index: Int) {
        tree.nodes[index].extent = tree.nodes.count
    }

    private mutating func closeAll(downTo count: Int) {
        while open.count > count, let index = open.popLast() {
            close(index)
            tree.unended.insert(index)
        }
    }

    private var isInArray: Bool {
        guard let index = open.last else { return false }
        return tree.nodes[index].kind == .array
    }

    private mutating func readKey() throws(Stop) -> DumpKey {
        let key: UInt16 = try read()
        guard key != 0 else { throw .malformed("a key is 0") }
        return DumpKey(rawValue: key)
    }

    private mutating func read<Value: FixedWidthInteger>() throws(Stop) -> Value {
        do throws(TruncatedRead) {
            return try cursor.read()
        } catch {
            throw .end(tree.bytes.count)
        }
    }

    private mutating func note(_ offset: Int, _ reason: String) {
        tree.damage.append(
            Damage(stage: .reading, subject: "offset \(offset.hex)", reason: reason))
    }
}
