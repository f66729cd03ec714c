// SPDX-License-Identifier: Apache-2.0

/// What can be the value of an attribute: texts, numbers and truths of any of Swift's types, so that
/// variables need no conversion. Types of your own conform by saying their value.
///
///     Epitaph.shared.setAttribute("tenant", to: request.tenant)
public protocol AttributeConvertible {
    /// The value in the form that reports have.
    var attributeValue: AttributeValue { get }
}

extension AttributeValue: AttributeConvertible {
    public var attributeValue: AttributeValue { self }
}

extension StringProtocol {
    /// Text.
    public var attributeValue: AttributeValue { .string(String(self)) }
}

extension String: AttributeConvertible {}
extension Substring: AttributeConvertible {}

extension Bool: AttributeConvertible {
    public var attributeValue: AttributeValue { .boolean(self) }
}

extension BinaryInteger {
    /// A whole number; one beyond 64 bits with a sign becomes the nearest that has room.
    public var attributeValue: AttributeValue { .integer(Int64(clamping: self)) }
}

extension Int: AttributeConvertible {}
extension Int8: AttributeConvertible {}
extension Int16: AttributeConvertible {}
extension Int32: AttributeConvertible {}
extension Int64: AttributeConvertible {}
extension UInt: AttributeConvertible {}
extension UInt8: AttributeConvertible {}
extension UInt16: AttributeConvertible {}
extension UInt32: AttributeConvertible {}
extension UInt64: AttributeConvertible {}

extension BinaryFloatingPoint {
    /// A number.
    public var attributeValue: AttributeValue { .number(Double(self)) }
}

extension Double: AttributeConvertible {}
extension Float: AttributeConvertible {}

extension CrashReporter {
    /// As `setAttribute(_:to:)` with an `AttributeValue`, for values of any type that has one.
    public func setAttribute(
        _ name: String, to value: some AttributeConvertible
    ) throws(AnnotationError) {
        try setAttribute(name, to: value.attributeValue)
    }
}

extension TaskScope {
    /// As `setAttribute(_:to:)` with an `AttributeValue`, for values of any type that has one.
    public func setAttribute(
        _ name: String, to value: some AttributeConvertible
    ) throws(ScopeError) {
        try setAttribute(name, to: value.attributeValue)
    }
}
