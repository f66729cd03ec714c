// SPDX-License-Identifier: Apache-2.0

extension ProcessSnapshot {
    /// Merges the scope of a task or thread into the process's facts, and marks it.
    ///
    /// - Parameters:
    ///   - attributes: innermost scope first, which wins over outer ones and the process.
    ///   - breadcrumbs: the process's list may still contain them.
    package mutating func addScope(attributes: [Annotation], breadcrumbs: [Breadcrumb]) {
        var names: Set<String> = []
        var own = attributes.filter { names.insert($0.name).inserted }
        for index in own.indices { own[index].isOfTask = true }
        annotations.removeAll { names.contains($0.name) }
        annotations += own
        for breadcrumb in breadcrumbs { add(ofTask: breadcrumb) }
        self.breadcrumbs = Breadcrumb.inOrder(self.breadcrumbs)
    }

    private mutating func add(ofTask breadcrumb: Breadcrumb) {
        var breadcrumb = breadcrumb
        breadcrumb.isOfTask = true
        if let index = breadcrumbs.firstIndex(where: {
            $0.number == breadcrumb.number && $0.timeNanoseconds == breadcrumb.timeNanoseconds
        }) {
            breadcrumbs[index] = breadcrumb
        } else {
            breadcrumbs.append(breadcrumb)
        }
    }
}

extension Breadcrumb {
    package static func inOrder(_ breadcrumbs: [Breadcrumb]) -> [Breadcrumb] {
        breadcrumbs.enumerated()
            .sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }
            .map(\.element)
    }
}

extension Damage {
    package static let scopeSubject = "scope of the task"
}
