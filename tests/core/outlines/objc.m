#import "Order.h"
@import Foundation;

#define LIMIT 10

#pragma mark - Types

static NSString *const kName = @"order";

typedef void (^Handler)(NSInteger count);

typedef NS_ENUM(NSInteger, Level) {
    LevelLow = 1,
    LevelHigh,
};

NS_ASSUME_NONNULL_BEGIN

@protocol Priced <NSObject>
@required
- (NSInteger)price;
@optional
@property (nonatomic, copy) NSString *label;
+ (instancetype)make;
@end

/** Not part of it. */
@interface Order : Base <Priced> {
    int _count;
    NSString *_name;
}

@property (nonatomic, strong, readonly) NSString *name;
@property (nonatomic) NSInteger count, other;
@property (nonatomic, copy) void (^done)(int status);

- (instancetype)initWithId:(NSInteger)number name:(NSString *)name NS_DESIGNATED_INITIALIZER;
- (void)pay:(NSInteger)amount by:(NSString *)card;
- (void)pay:(NSInteger)amount;
- (void)close;

@end

@interface Order (Billing)
- (void)bill;
@end

@interface Order ()
@property int hidden;
@end

NS_ASSUME_NONNULL_END

@implementation Order {
    int _total;
}

@synthesize name = _name;

- (instancetype)initWithId:(NSInteger)number name:(NSString *)name
{
    if ((self = [super init])) {
        _name = [name copy];
    }
    return self;
}

#pragma mark - Paying

- (void)pay:(NSInteger)amount by:(NSString *)card {
    void (^later)(int) = ^(int value) { log(value); };
    later(amount);
}

- (void)pay:(NSInteger)amount { [self pay:amount by:@"cash"]; }

- (void)close { }

+ (Order *)make { return [[self alloc] init]; }

static int helper(int value) { return value; }

@end

@implementation Order (Billing)
- (void)bill { }
@end

struct Point { int x; };

int main(int argc, char *argv[]) {
    @autoreleasepool {
        return 0;
    }
}
