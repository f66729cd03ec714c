// SPDX-License-Identifier: Apache-2.0

extension ProcessSnapshot {
    /// Puts what a task, or a thread, knew of its own work among what the process knew, and marks it.
    ///
    /// - Parameters:
    ///   - attributes: the innermost scope's first: of one name the first counts, and more than one
    ///     of the process.
    ///   - breadcrumbs: each with the number that it has in the process, where it may be in the list
    ///     as well, unless others have taken its place there.
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
    /// In the order they were noted in; those of one number, which a writer never makes, keep
    /// their order.
    package static func inOrder(_ breadcrumbs: [Breadcrumb]) -> [Breadcrumb] {
        breadcrumbs.enumerated()
            .sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }
            .map(\.element)
    }
}

extension Damage {
    /// The subject of damage that concerns the scope of a task or a thread as a whole.
    package static let scopeSubject = "scope of the task"
}
