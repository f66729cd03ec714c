// SPDX-License-Identifier: Apache-2.0

/// A way of the Swift victim to die in a task, and its awaiting functions according to its
/// source.
struct AsyncShape {
    let way: String
    /// The function that runs first.
    let functions: [String]
    /// In a release build, where closures may be part of the function around them.
    let released: [String]
    /// What a task that was detached begins with.
    var start = ["closure in taskStart", "closure in crashInShape"]

    init(_ way: String, _ functions: [String], released: [String]? = nil, isChild: Bool = false) {
        self.way = way
        self.functions = functions
        self.released = released ?? functions
        if isChild { start = [] }
    }

    static let all = [
        AsyncShape("async-calls", ["leaf", "branch"]),
        AsyncShape("async-trap", ["trapHere", "trapBranch"]),
        AsyncShape("async-deep", ["callDeep", "deepBranch"]),
        AsyncShape(
            "async-recursion", ["leaf", "descend", "descend", "descend", "descend", "descend"]),
        AsyncShape("async-return", ["ascend", "ascend", "ascend"]),
        AsyncShape(
            "async-let", ["leaf", "branch", "child", "closure in letParent"], isChild: true),
        AsyncShape(
            "async-group", ["leaf", "branch", "child", "closure in groupParent"], isChild: true),
        AsyncShape(
            "async-group-body", ["leaf", "branch", "closure in groupBody", "groupBody"],
            released: ["leaf", "branch", "groupBody"]),
        AsyncShape("async-actor", ["Till.count", "Till.deposit", "customer"]),
        AsyncShape("async-main-actor", ["leaf", "branch", "onMain"]),
        AsyncShape("async-throws", ["borrowTwice", "reader"]),
        AsyncShape("async-stream", ["leaf", "branch", "drain"]),
        AsyncShape("async-unfolding", ["leaf", "branch", "closure in fill", "fill"]),
        AsyncShape("async-protocol", ["leaf", "branch", "Bakery.serve", "order", "orderAny"]),
        AsyncShape(
            "async-closure", ["leaf", "branch", "closure in closures", "transform", "closures"],
            released: ["leaf", "branch", "transform", "closures"]),
        AsyncShape("async-continuation", ["awaitCallback", "callbackBranch"]),
        AsyncShape(
            "async-task-local", ["leaf", "branch", "closure in withRequest", "withRequest"],
            released: ["leaf", "branch", "withRequest"]),
        AsyncShape("async-sleep", ["nap", "napBranch"]),
        AsyncShape("async-task", ["leaf", "branch", "closure in awaitTask"], isChild: true),
    ]
}
