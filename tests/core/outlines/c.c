#include <stdio.h>
#define LIMIT 10
#define SQUARE(x) \
    ((x) * (x))

typedef unsigned int id_t;
typedef int (*compare)(const void *, const void *);
typedef struct node {
    int value;
    struct node *next;
    union {
        char *text;
        double number;
    } as;
} node;
typedef struct {
    int x, y;
} point;
typedef enum { RED, GREEN = 2 } color;

struct forward;
struct buffer {
    char *data;
    int (*read)(struct buffer *);
};

enum level { LOW, HIGH };

static const char *names[] = {"a", "b"};
extern int counter;
int first = 1, *second, third[3];

int parse(const char *text);

/* not part of it */
PUBLIC(node *) create(int value);

PUBLIC(node *)
create(int value)
{
    node *made = 0;
    int local = helper(value);
    return made;
}

static char **split(char *text) { return 0; }

int parse(const char *text)
{
    return 0;
}

void (*choose(int which))(int) { return 0; }

#ifdef WIDE
int width(void) { return 2; }
#else
int width(void) { return 1; }
#endif
