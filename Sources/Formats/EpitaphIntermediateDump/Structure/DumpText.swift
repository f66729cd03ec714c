// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

extension DumpTree {
    /// The unmerged tree, a line per node: offset, key, number, type, value; then damage.
    package var text: String {
        var text = ""
        forEachLine { line in
            text += line
            text += "\n"
        }
        return text
    }

    package func forEachLine<Failure: Error>(
        _ body: (String) throws(Failure) -> Void
    ) throws(Failure) {
        let state = isComplete ? "complete" : "incomplete"
        let head = headByteCount.map { ", head of \($0) bytes" } ?? ""
        try body("intermediate dump, \(bytes.count) bytes\(head), \(state)")
        let formatter = PropertyFormatter(architecture: architecture)
        var containerEnds: [Int] = []
        for index in nodes.indices {
            while let end = containerEnds.last, end <= index { containerEnds.removeLast() }
            let node = nodes[index]
            let indent = String(repeating: "  ", count: containerEnds.count)
            try body("\(Self.column(node.offset))  \(indent)\(line(index, formatter))")
            if node.kind == .map || node.kind == .array { containerEnds.append(node.extent) }
        }
        for entry in damage {
            try body("damage: \(entry.sentence)")
        }
    }

    private func line(_ index: Int, _ formatter: PropertyFormatter) -> String {
        let node = nodes[index]
        if index == 0 { return "root map" }
        if node.key == .none { return "map" }
        let name = "\(node.key.name ?? "?") (\(node.key.rawValue))"
        switch node.kind {
        case .map: return "\(name) map"
        case .array: return "\(name) array"
        case .property, .cutProperty: return "\(name) \(formatter.text(property(at: index)))"
        }
    }

    private var architecture: Architecture? {
        guard let payload = root.property(.architecture)?.payload, payload.count == 2 else {
            return nil
        }
        return payload.load(at: 0).flatMap(Architecture.init)
    }

    private static func column(_ offset: Int) -> String {
        String(offset, radix: 16).zeroPadded(to: 8)
    }
}

private struct PropertyFormatter {
    let architecture: Architecture?

    private static let shownByteCount = 16
    private static let shownTextByteCount = 200

    func text(_ property: DumpProperty) -> String {
        let type = property.key.typeName ?? "bytes"
        let cut = property.isCut ? " (cut)" : ""
        return "\(type) \(value(property) ?? hexadecimal(property.payload))\(cut)"
    }

    private func value(_ property: DumpProperty) -> String? {
        let payload = property.payload
        switch property.key.type {
        case EPITAPH_TYPE_U8: return integer(payload, as: UInt8.self)
        case EPITAPH_TYPE_U16: return integer(payload, as: UInt16.self)
        case EPITAPH_TYPE_U32: return integer(payload, as: UInt32.self)
        case EPITAPH_TYPE_I32: return integer(payload, as: Int32.self)
        case EPITAPH_TYPE_U64: return integer(payload, as: UInt64.self)
        case EPITAPH_TYPE_I64: return integer(payload, as: Int64.self)
        case EPITAPH_TYPE_TIMEVAL: return time(payload)
        case EPITAPH_TYPE_UUID: return uuid(payload)
        case EPITAPH_TYPE_STRING: return quoted(payload)
        case EPITAPH_TYPE_REGISTERS: return registers(payload)
        default: return nil
        }
    }

    private func integer<Value: FixedWidthInteger>(
        _ payload: ByteSlice, as type: Value.Type
    ) -> String? {
        guard payload.count == MemoryLayout<Value>.size, let value = payload.load(at: 0, as: type)
        else { return nil }
        return value < 4096 ? "\(value)" : "\(value) (\(value.hex))"
    }

    private func time(_ payload: ByteSlice) -> String? {
        var cursor = ByteCursor(payload)
        guard let seconds = try? cursor.read(Int64.self),
            let microseconds = try? cursor.read(Int64.self), cursor.isAtEnd
        else { return nil }
        return "\(seconds) s \(microseconds) us"
    }

    private func uuid(_ payload: ByteSlice) -> String? {
        Epitaph.ID(bytes: payload.array)?.description
    }

    private func registers(_ payload: ByteSlice) -> String? {
        guard let architecture, payload.count == RegisterLayout.size(architecture),
            let registers = try? RegisterLayout.decode(payload, architecture)
        else { return nil }
        return registers.named.map { "\($0.name)=\($0.value.hex)" }.joined(separator: " ")
    }

    private func hexadecimal(_ payload: ByteSlice) -> String {
        guard !payload.isEmpty else { return "(0 bytes)" }
        let shown = payload.slice(from: 0, length: Self.shownByteCount).array
            .spacedHexDigits
        let rest = payload.count > Self.shownByteCount ? " …" : ""
        return "\(shown)\(rest) (\(payload.count) bytes)"
    }

    private func quoted(_ payload: ByteSlice) -> String {
        let shown = payload.slice(from: 0, length: Self.shownTextByteCount).text
        let text = "\"\(shown.printable(replacing: ["\"", "\\"]))\""
        return payload.count > Self.shownTextByteCount
            ? "\(text) … (\(payload.count) bytes)" : text
    }
}
