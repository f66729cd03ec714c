// SPDX-License-Identifier: Apache-2.0

/// A way of the Swift victim to die in a task, and its awaiting functions according to its
/// source.
struct AsyncShape {
    let way: String
    /// The function that runs first.
    let functions: [String]
    /// In a release build, where closures may be part of the function around them.
    let released: [String]
    /// What the outermost task begins with, if all others are awaited.
    var start = ["closure in taskStart", "closure in crashInShape"]

    init(_ way: String, _ functions: [String], released: [String]? = nil, isChild: Bool = false) {
        self.way = way
        self.functions = functions
        self.released = released ?? functions
        if isChild { start = [] }
    }

    private static let child = ["leaf", "branch", "child"]

    static let all = [
        AsyncShape("async-calls", ["leaf", "branch"]),
        AsyncShape("async-trap", ["trapHere", "trapBranch"]),
        AsyncShape("async-deep", ["callDeep", "deepBranch"]),
        AsyncShape(
            "async-recursion", ["leaf", "descend", "descend", "descend", "descend", "descend"]),
        AsyncShape("async-return", ["ascend", "ascend", "ascend"]),
        AsyncShape("async-let", child + ["closure in letParent", "letParent"]),
        AsyncShape("async-let-busy", child + ["closure in busyParent"], isChild: true),
        AsyncShape(
            "async-group",
            child + ["closure in groupParent", "closure in groupParent", "groupParent"],
            released: child + ["closure in groupParent", "groupParent"]),
        AsyncShape(
            "async-server",
            child + [
                "closure in handle", "closure in handle", "handle", "closure in serveConnection",
                "throughMiddleware", "serveConnection", "closure in serveConnections",
            ],
            released: child + [
                "closure in handle", "closure in handle", "handle", "throughMiddleware",
                "serveConnection", "closure in serveConnections",
            ], isChild: true),
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
        AsyncShape("async-task", child + ["closure in awaitTask", "awaitTask"]),
        AsyncShape("async-task-busy", child + ["closure in busyStarter"], isChild: true),
    ]
}
