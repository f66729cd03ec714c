// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Annotations for reports of earlier launches that become known only later: a package upgraded
/// since, a host's role. They do not replace values that a launch set itself.
package struct AddedAnnotations: Sendable, Equatable {
    package static let nameLimit = 255
    /// In bytes; a longer value is cut at a character boundary.
    package static let valueLimit = 20_480
    package static let countLimit = 128

    private let annotations: [Annotation]
    private let bundleID: String?

    package static let none = AddedAnnotations([:], toReportsOf: nil)

    /// - Parameter bundleID: the program whose reports get them; nil for all programs.
    package init(_ pairs: [String: String], toReportsOf bundleID: String?) {
        self.bundleID = bundleID
        annotations = pairs.inKeyOrder
            .filter { Self.isUsable(name: $0.key) }.prefix(Self.countLimit)
            .map { Annotation(name: $0.key, value: Self.cut($0.value)) }
    }

    package static func problems(with pairs: [String: String]) -> [String] {
        var problems = pairs.keys.sorted().filter { !isUsable(name: $0) }.map { name in
            "the annotation \"\(name.prefix(40))\" is not added: a name has 1 to \(nameLimit) bytes"
        }
        let extra = pairs.count - problems.count - countLimit
        if extra > 0 {
            problems.append("\(extra) annotations are not added: \(countLimit) can be")
        }
        return problems
    }

    package static func isUsable(name: String) -> Bool {
        (1...nameLimit).contains(name.utf8.count) && !name.utf8.contains(0)
    }

    func add(to snapshot: inout ProcessSnapshot, of bundleID: String) {
        guard self.bundleID == nil || self.bundleID == bundleID else { return }
        let present = Set(snapshot.annotations.map(\.name))
        snapshot.annotations += annotations.filter { !present.contains($0.name) }
    }

    private static func cut(_ value: String) -> String {
        guard value.utf8.count > valueLimit else { return value }
        var bytes = value.utf8.prefix(valueLimit)[...]
        while String(bytes) == nil { bytes = bytes.dropLast() }
        return String(bytes) ?? ""
    }
}
